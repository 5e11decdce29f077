import { kinds } from '../../collection/index.ts'
import { printable } from '../../terminal/index.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { typed } from '../program/text.ts'
import { isUnversionedAllowed, library } from './queue.ts'

export const doctor: Command = {
  name: 'doctor',
  about: 'check whether the store can carry a queue',
  details:
    'Credentials, versioning, the clock, whether one of many writers wins, and whether a browser may read it. Exit code 1 if something is not ok.',
  options: {
    origin: {
      value: 'URL',
      about: 'where a dashboard in a browser comes from; http://localhost if left out',
    },
  },
  examples: ['qo doctor', 'qo doctor --store s3://task-queue --origin https://queue.example.com'],
  async run(context) {
    const { out } = context
    const isAllowed = isUnversionedAllowed(context)
    const origin = originOf(context)
    const { url } = await context.storeChoice()
    const { examine } = await library()
    const checks: { name: string; ok: boolean; detail: string; warning?: true }[] = []
    for await (const { name, ok, detail, isWarning } of examine(url, { origin })) {
      const isExcused = name === 'versioning' && !ok && isAllowed
      const check = isExcused
        ? { name, ok: true, detail: `${detail} QO_ALLOW_NO_VERSIONING allows it.` }
        : { name, ok, detail, ...(isWarning && { warning: true as const }) }
      checks.push(check)
      // Some take a while, so each is printed as soon as it is known.
      const mark = isWarning ? 'warn' : check.ok ? 'ok  ' : 'FAIL'
      out.say(`${mark}  ${name.padEnd(11)}  ${printable(check.detail)}`)
    }
    if (out.isJson) out.answer({ kind: 'doctor', data: checks, lines: [] })
    if (checks.some(({ ok }) => !ok)) context.exitCode = kinds.internal.exit
  },
}

function originOf(context: Context): string | undefined {
  const given = context.args.value('origin')
  if (given === undefined) return undefined
  const origin = URL.canParse(given) ? new URL(given).origin : 'null'
  if (origin !== 'null') return origin
  throw context.usageError(`--origin takes no "${typed(given)}".`, 'Give https://HOST.')
}
