import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { MatcherReader, MatcherReading } from '../../tree/internal.ts'
import type { Context } from '../program/context.ts'
import { type OpenedFile, openSettings } from '../program/opened-file.ts'
import { shellWord } from '../program/shell-word.ts'
import { isStoreInside } from '../program/store-place.ts'
import { TrustError } from '../program/trust-error.ts'
import { type FileKind, TrustRecord } from '../program/trust-record.ts'

/** Why a file of `.coven` does not count; null where it does. */
export type Judge = (file: OpenedFile, kind: FileKind) => string | null

/**
 * Judges for the store of this command. A store inside the workspace came with the settings next to it. For any
 * other store, which they would change the treatment of, the user must trust them. `.coven` may be a link to the folder of another
 * workspace, whose store then lies there.
 */
export async function judgeOf(context: Context, folder: string): Promise<Judge> {
  const { url } = await context.storeChoice()
  const isOwn = [dirname(folder), folder].some((each) => isStoreInside(url, each))
  return isOwn ? () => null : (file, kind) => distrustOf(new TrustRecord(context.io), file, kind)
}

function distrustOf(record: TrustRecord, file: OpenedFile, kind: FileKind): string | null {
  try {
    const trust = record.trustIn(file, kind)
    if (trust === 'trusted') return null
    const why = trust === 'changed' ? 'has changed since you trusted it' : 'is not trusted'
    return `${file.path} ${why}, and the store lies outside its workspace: the defaults apply. To let it count, read it, then run "holdfast trust ${shellWord(file.path)}".`
  } catch (error) {
    if (!(error instanceof TrustError)) throw error
    return `The defaults apply instead of ${file.path}. ${error.message}`
  }
}

/** Reads matchers that may be another person's. A server falls back to the default when they stop counting. */
export class JudgedMatchers implements MatcherReader {
  readonly #judge: Judge
  readonly #record: string
  readonly #warn: (text: string) => void
  #warned: string | null = null

  /** `warn` is told once of each reason. */
  constructor(context: Context, judge: Judge, warn: (text: string) => void = () => {}) {
    this.#judge = judge
    this.#record = new TrustRecord(context.io).path
    this.#warn = warn
  }

  read(path: string): MatcherReading {
    const reading = this.#readingOf(path)
    const why = reading.kind === 'refused' ? reading.why : null
    if (why !== null && why !== this.#warned) this.#warn(why)
    this.#warned = why
    return reading
  }

  #readingOf(path: string): MatcherReading {
    const opened = openSettings(path)
    if (opened.kind === 'absent') return opened
    if (opened.kind === 'foreign') return { kind: 'refused', why: `${opened.what} ${opened.next}` }
    if (opened.kind === 'unreadable')
      return { kind: 'unreadable', why: `It can't be read: ${opened.why}` }
    const why = this.#judge(opened.file, 'matchers')
    return why === null ? { kind: 'bytes', bytes: opened.file.bytes } : { kind: 'refused', why }
  }

  /** What is trusted may change while a server runs. */
  stamp(): string {
    const stats = statSync(this.#record, { throwIfNoEntry: false, bigint: true })
    return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : ''
  }
}
