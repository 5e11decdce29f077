import { sqliteFileOf } from './open.ts'

/** What was found out about one thing that a store must be able to do. */
export interface Check {
  /** What was looked at. */
  readonly name: string
  /** Whether it is as it should be. */
  readonly ok: boolean
  /** What was found, in a sentence. */
  readonly detail: string
  /** Whether there is something to think about, although nothing is broken. */
  readonly isWarning?: true
}

/** A clock that is off by more than this is worth a word. */
const clockOffMsMax = 60_000

/** `aheadMs` is how far the store's clock is ahead of ours. */
export function clockCheck(aheadMs: number, whose: string): Check {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  const relation = aheadMs > 0 ? 'behind' : 'ahead of'
  const ok = Math.abs(aheadMs) <= clockOffMsMax
  const detail =
    seconds <= 1
      ? `The clock of this machine agrees with that of ${whose}.`
      : `The clock of this machine is ${seconds} s ${relation} that of ${whose}.`
  const advice = ' Deadlines go by the store; set this one all the same.'
  return { name: 'clock', ok, detail: ok ? detail : detail + advice }
}

/** Looks at a bucket, its server and the way there; what that takes is loaded only then. */
export async function* examineS3(
  url: string,
  options: { readonly origin: string },
): AsyncGenerator<Check> {
  const { examineS3: examine } = await import('./drivers/s3/examination.ts')
  yield* examine(url, options)
}

/**
 * Who but its owner can read a store; null for one that is no file. To be asked before it is opened: what SQLite puts next
 * to an open store goes with it.
 */
export async function permissionCheck(url: string): Promise<Check | null> {
  const path = sqliteFileOf(url)
  if (path === null) return null
  const { openFilesOf } = await import('./drivers/sqlite/modes.ts')
  const open = openFilesOf(path)
  const name = 'permissions'
  if (open.length === 0) return { name, ok: true, detail: 'Only its owner can read the store.' }
  const whom = open.some(({ isForAll }) => isForAll) ? 'Every user of this machine' : 'Its group'
  const verb = open.some(({ mode }) => (mode & 0o022) !== 0) ? 'read or change' : 'read'
  const isUsual = open.every(({ mode }) => (mode & 0o700) === 0o600)
  const command = [
    'chmod',
    isUsual ? '600' : 'go-rwx',
    ...open.map(({ path: each }) => quoted(each)),
  ].join(' ')
  const detail = `${whom} can ${verb} the store. Make it private: ${command}`
  return { name, ok: true, detail, isWarning: true }
}

/** As a shell takes it. */
const quoted = (path: string): string =>
  /^[\w/.,@%+=:-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
