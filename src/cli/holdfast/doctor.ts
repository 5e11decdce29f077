import { kinds } from '../../collection/index.ts'
import { type Check, permissionCheck, type Store, shownUrl } from '../../store/internal.ts'
import { oneLine } from '../../terminal/index.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import type { Failure } from '../program/failure.ts'

export const doctor: Command = {
  name: 'doctor',
  about: 'check the store: whether it answers, is durable, and its indexes are right',
  details:
    'Changes nothing, unless --repair says so. Exit code 1 if something is not ok; where the store is missing or does not answer, the code that every command has for it.',
  options: {
    full: { about: 'compare indexes and documents however many there are' },
    repair: { about: 'bring the indexes to what the documents say' },
  },
  examples: ['holdfast doctor', 'holdfast doctor --store nats://localhost:4222 --json'],
  async run(context) {
    const report = new Report(context)
    report.add(await versions())
    try {
      const { url } = await context.storeChoice()
      const permissions = await permissionCheck(url)
      await using store = await context.openStore()
      await examine(context, { store, url, permissions }, report)
    } catch (error) {
      const failure = await context.failureOf(error)
      const detail = [failure.message, failure.next].filter(Boolean).join(' ')
      report.add({ name: 'store', ok: false, detail })
      report.end(failure)
      return
    }
    report.end()
  },
}

interface Opened {
  readonly store: Store
  readonly url: string
  readonly permissions: Check | null
}

async function examine({ args }: Context, { store, url, permissions }: Opened, report: Report) {
  const { checkup } = await import('../../inventory/index.ts')
  // An open store may still be one that does not answer.
  await store.now()
  const engine = store.engine === undefined ? '' : `, ${store.engine}`
  report.add({ name: 'store', ok: true, detail: `${shownUrl(url)} answers${engine}` })
  if (permissions !== null) report.add(permissions)
  const options = { isFull: args.has('full'), isRepair: args.has('repair') }
  for await (const check of checkup(store, options)) report.add(check)
}

async function versions(): Promise<Check> {
  const { version } = await import('../package.ts')
  const detail = `Holdfast ${version()}, Node ${process.versions.node}`
  return { name: 'versions', ok: true, detail }
}

/** What was found. Some checks take a while, so each is printed as soon as it is known. */
class Report {
  readonly #context: Context
  readonly #checks: (Check & { readonly warning?: true })[] = []

  constructor(context: Context) {
    this.#context = context
  }

  add({ name, ok, detail, isWarning }: Check): void {
    this.#checks.push({ name, ok, detail, ...(isWarning && { warning: true as const }) })
    const mark = isWarning ? 'warn' : ok ? 'ok  ' : 'FAIL'
    this.#context.out.say(`${mark}  ${name.padEnd(15)}  ${oneLine(detail)}`)
  }

  /** With the failure that ended it early, if one did. */
  end(failure?: Failure): void {
    const { out } = this.#context
    const refused = failure ? [failure] : []
    if (out.isJson) out.answer({ kind: 'doctor', data: this.#checks, refused, lines: [] })
    if (this.#checks.some(({ ok }) => !ok))
      this.#context.exitCode = failure?.exit ?? kinds.internal.exit
  }
}
