import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { printable } from '../program/printable.ts'
import { type SettingName, settingNames, settingRules } from '../program/setting.ts'
import { shownUrl } from './shown-url.ts'

interface Shown {
  readonly key: SettingName
  readonly value: string | null
  readonly source: string
  /** Where exactly; null for a default. */
  readonly origin: string | null
}

export const config: Command = {
  name: 'config',
  about: 'show each setting, and where it came from',
  details:
    'A flag goes before a variable of the environment, that before .holdfast.yaml of the working directory or the nearest one above it, that before $XDG_CONFIG_HOME/holdfast/config.yaml, and that before the default. Both files are checked whole. A password in the URL of a store is not shown.',
  examples: ['holdfast config', 'holdfast config --json'],
  async run(context) {
    await (await context.config()).check()
    const data: Shown[] = []
    for (const key of settingNames) data.push(await shown(context, key))
    context.out.answer({ kind: 'config', data, lines: rows(data) })
  },
}

async function shown(context: Context, key: SettingName): Promise<Shown> {
  const found = await context.setting(key)
  const value = key === 'store' ? shownUrl((await context.storeChoice()).url) : found?.value
  if (found === null)
    return { key, value: value ?? settingRules[key].default, source: 'default', origin: null }
  return { key, value: value ?? null, source: found.source, origin: found.origin }
}

function rows(settings: readonly Shown[]): string[] {
  const keyWidth = Math.max(...settings.map(({ key }) => key.length))
  const values = settings.map(({ value }) => printable(value ?? '-'))
  const valueWidth = Math.max(...values.map((value) => value.length))
  return settings.map(({ key, origin }, at) =>
    [key.padEnd(keyWidth), values[at]?.padEnd(valueWidth), printable(origin ?? 'default')].join(
      '  ',
    ),
  )
}
