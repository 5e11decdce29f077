import { shownUrl, withoutSecrets } from '../../store/internal.ts'
import { printable } from '../../terminal/index.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { TrustError } from '../program/error.ts'
import {
  type FoundSetting,
  type SettingName,
  settingNames,
  settingRules,
} from '../program/setting.ts'
import { type StoreChoice, userStore } from '../program/store-choice.ts'

interface ShownSetting {
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
    'A flag goes before a variable of the environment, that before .holdfast.yaml of the working directory or the nearest one above it, that before $XDG_CONFIG_HOME/holdfast/config.yaml, and that before the default. Inside a coven workspace the default store is .coven/tasks.db, as for coven. Both files are checked whole; exit code 4 where that of the project does not count, and is passed over here. A token, and a password in the URL of a store, are not shown.',
  examples: ['holdfast config', 'holdfast config --json'],
  async run(context) {
    const { out } = context
    const refusals = [await (await context.config()).check(), await workspaceRefusal(context)]
    const refused = await Promise.all(
      refusals.filter((each) => each !== null).map((each) => context.failureOf(each)),
    )
    const data: ShownSetting[] = []
    for (const key of settingNames)
      data.push(key === 'store' && refusals[1] ? unknownStore : await shown(context, key))
    out.answer({ kind: 'config', data, refused, lines: rows(data) })
    if (!out.isJson) for (const failure of refused) out.fail(failure)
    context.exitCode = refused[0]?.exit ?? 0
    if (refusals[1]) return
    const { workspace } = await context.storeChoice()
    if (workspace !== null && !out.isJson)
      context.out.note(
        `ut, np and qo do not use the workspace: their default is ${userStore(context.io).url}.`,
      )
  },
}

/** Why the store of the workspace can't be told; null where it can. */
async function workspaceRefusal(context: Context): Promise<TrustError | null> {
  try {
    await context.storeChoice()
    return null
  } catch (error) {
    if (error instanceof TrustError) return error
    throw error
  }
}

const unknownStore: ShownSetting = { key: 'store', value: null, source: 'workspace', origin: null }

async function shown(context: Context, key: SettingName): Promise<ShownSetting> {
  const found = await context.setting(key)
  if (key === 'store') return shownChoice(await context.storeChoice(), found)
  if (found === null)
    return { key, value: settingRules[key].default, source: 'default', origin: null }
  const value = key === 'token' ? '…' : withoutSecrets((found.values ?? [found.value]).join(', '))
  return { key, value, source: found.source, origin: found.origin }
}

function shownChoice({ url, workspace }: StoreChoice, found: FoundSetting | null): ShownSetting {
  const choice = { key: 'store', value: shownUrl(url) } as const
  if (found !== null) return { ...choice, source: found.source, origin: found.origin }
  if (workspace === null) return { ...choice, source: 'default', origin: null }
  return { ...choice, source: 'workspace', origin: `workspace ${workspace}` }
}

function rows(settings: readonly ShownSetting[]): string[] {
  const keyWidth = Math.max(...settings.map(({ key }) => key.length))
  const values = settings.map(({ value }) => printable(value ?? '-'))
  const valueWidth = Math.max(...values.map((value) => value.length))
  return settings.map(({ key, origin }, at) =>
    [key.padEnd(keyWidth), values[at]?.padEnd(valueWidth), printable(origin ?? 'default')].join(
      '  ',
    ),
  )
}
