import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { expect } from 'vitest'

/** What docs/reliability.md promises, in its order. */
const promises = ['durable', 'whole', 'one holder', 'exact', 'honest', 'history'] as const
export type Promised = (typeof promises)[number]

/** Where the data is, as the record names it. */
export type RecordedStore = 'SQLite' | 'NATS' | 'NATS, 3 nodes' | 'MinIO' | 'ministack'

/** What a test shows, and on which store. */
interface Subject {
  readonly what: string
  readonly store: RecordedStore
  readonly promises: readonly Promised[]
}

interface Figures {
  /** Rounds in which a process was killed while it wrote, and all that was acknowledged was checked afterwards. */
  readonly killRounds?: number
  /** Kills, pauses, cuts, full disks and failed requests, all of them. */
  readonly faults: number
  /** Acknowledged operations, each of which was checked. */
  readonly operations: number
  /** Acknowledged operations that the store does not have. */
  readonly lost?: number
  /** Tasks that two held at the same time, or that were done twice. */
  readonly doubles?: number
}

/** One line of the file that `npm run soak -- record` adds up. */
interface RecordLine extends Subject, Required<Figures> {
  readonly file: string
  readonly ms: number
}

/**
 * Begins to measure; what it gives notes figures with the time since it was last called. Tests note before they assert, so that a
 * violation is in the table too.
 */
export function recorded(subject: Subject): (figures: Figures) => void {
  let since = performance.now()
  return ({ killRounds = 0, faults, operations, lost = 0, doubles = 0 }) => {
    const path = process.env['HOLDFAST_RECORD']
    const now = performance.now()
    const ms = now - since
    since = now
    if (path === undefined) return
    const file = relative(process.cwd(), expect.getState().testPath as string)
    const line: RecordLine = {
      ...{ ...subject, file, ms },
      ...{ killRounds, faults, operations, lost, doubles },
    }
    appendFileSync(path, `${JSON.stringify(line)}\n`)
  }
}
