import { createHash, randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../../store/internal.ts'
import type { FoundSettings } from './config.ts'
import { TrustError } from './error.ts'
import { type Io, userFolder } from './io.ts'
import { type OpenedFile, openSettings } from './opened-file.ts'
import { type SettingName, settingRules } from './setting.ts'
import { chooseStore, hasCredentials, isStoreForeign, isStoreInside } from './store-choice.ts'

/** Throws a TrustError unless all that the file of a project says may count. */
export function checkProject(io: Io, file: OpenedFile, found: FoundSettings): void {
  checkSecrets(found)
  const keys = keysInNeed(io, file, found)
  if (keys.length === 0) return
  const trust = new TrustRecord(io).trustIn(file, 'project')
  if (trust === 'trusted') return
  const why = trust === 'changed' ? 'has changed since you trusted it' : 'is not trusted'
  throw new TrustError(
    `${file.path} ${why}, and it sets ${listedNeeds(keys, storeNeed(io, file, found))}.`,
    'Read it, then run "holdfast trust" to let it count.',
  )
}

/** Throws a TrustError for secrets in the URL of the store: everyone who can read the project could read them. */
export function checkSecrets(found: FoundSettings): void {
  const store = found.get('store')
  if (store === undefined || !hasCredentials(store.value)) return
  throw new TrustError(
    `${store.origin}: the URL of the store holds credentials, or a path to some, which never count in the file of a project, trusted or not.`,
    'Remove them there, and set them in the environment.',
  )
}

/** The keys that count only in a trusted file. */
export function keysInNeed(io: Io, file: OpenedFile, found: FoundSettings): SettingName[] {
  return [...found.keys()].filter((name) => {
    const rule = settingRules[name].inProject
    return rule === 'by place' ? storeNeed(io, file, found) !== null : rule === 'needs trust'
  })
}

/** What it is about a store that needs trust; null where nothing is. */
function storeNeed(io: Io, file: OpenedFile, found: FoundSettings): string | null {
  const store = found.get('store')
  if (store === undefined) return null
  const { url } = chooseStore(store, io)
  if (!isStoreInside(url, dirname(file.realPath))) return 'a store outside its folder'
  return isStoreForeign(url) ? 'a store that belongs to another user' : null
}

/** `exec, host and a store outside its folder`. What they are set to is not quoted: an agent may read it. */
function listedNeeds(keys: readonly SettingName[], store: string | null): string {
  const named = keys.filter((name) => settingRules[name].inProject !== 'by place') as string[]
  const all = store === null ? named : [...named, store]
  return [all.slice(0, -1).join(', '), all.at(-1)].filter(Boolean).join(' and ')
}

/** How a file is read. One that is trusted as rules for matching must not count as settings by a link to it. */
export type FileKind = 'project' | 'workspace' | 'matchers'

/** A file that the user trusts as long as it says the same. */
export interface TrustedFile {
  /** With all links followed. */
  readonly path: string
  readonly kind: FileKind
  readonly sha256: string
  readonly trusted_at: string
}

/** Whether a file counts: `changed` is one that was trusted when it said something else. */
export type Trust = 'trusted' | 'changed' | 'untrusted'

/** Some thousand files. */
const recordBytesMax = 1_048_576
const lockMsMax = 5_000
const lockPauseMs = 10

export const sha256Of = ({ bytes }: OpenedFile): string =>
  createHash('sha256').update(bytes).digest('hex')

/**
 * The files that this user trusts, in a file of its own next to the user's settings. It is replaced as a whole, so a
 * reader never sees half of it; writers take turns by a lock.
 */
export class TrustRecord {
  readonly path: string

  constructor(io: Io) {
    this.path = join(userFolder(io), 'trusted.json')
  }

  /** Throws a TrustError where the record can't be read, or anybody may have written it: then nothing is trusted. */
  files(): readonly TrustedFile[] {
    const opened = openSettings(this.path, recordBytesMax)
    if (opened.kind === 'absent') return []
    if (opened.kind === 'foreign') throw new TrustError(opened.what, opened.next)
    if (opened.kind === 'read' && opened.file.isForAll)
      throw new TrustError(
        `${this.path}, which records the files that you trust, can be written by every user of this machine.`,
        'Check what it says, then allow it to yourself alone (chmod 600).',
      )
    const files = opened.kind === 'read' ? filesIn(opened.file) : null
    if (files !== null) return files
    const why = opened.kind === 'unreadable' ? opened.why : 'it is not the JSON of such a record'
    throw new TrustError(
      `${this.path}, which records the files that you trust, can't be read: ${why}.`,
      'Move it away, then run "holdfast trust" again for each file that you trust.',
    )
  }

  trustIn(file: OpenedFile, kind: FileKind): Trust {
    const known = this.files().find((each) => each.path === file.realPath && each.kind === kind)
    if (!known) return 'untrusted'
    return known.sha256 === sha256Of(file) ? 'trusted' : 'changed'
  }

  /** In place of what was known of the same file. */
  async add(file: TrustedFile): Promise<void> {
    await this.#change((files) => [
      ...files.filter(({ path, kind }) => path !== file.path || kind !== file.kind),
      file,
    ])
  }

  /** Answers with whether one of these paths was trusted. */
  async remove(paths: readonly string[]): Promise<boolean> {
    let isRemoved = false
    await this.#change((files) => {
      const rest = files.filter(({ path }) => !paths.includes(path))
      isRemoved = rest.length < files.length
      return rest
    })
    return isRemoved
  }

  async #change(change: (files: readonly TrustedFile[]) => readonly TrustedFile[]): Promise<void> {
    try {
      fs.mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
      await withLock(`${this.path}.lock`, () => {
        const record = { version: 1, files: change(this.files()) }
        const text = `${JSON.stringify(record, null, 2)}\n`
        if (Buffer.byteLength(text) > recordBytesMax)
          throw new TrustError(
            `${this.path} has no room for more files.`,
            'Take trust back from some with "holdfast trust --revoke FILE".',
          )
        replaceFile(pathToReplace(this.path), text)
      })
    } catch (error) {
      if (!(error as NodeJS.ErrnoException).syscall) throw error
      throw new StoreError(
        'permission',
        `${this.path} can't be written: ${(error as Error).message}.`,
        'Make it writable.',
        error,
      )
    }
  }
}

/** Null where it is no such record. */
function filesIn({ bytes }: OpenedFile): readonly TrustedFile[] | null {
  try {
    const { version, files } = JSON.parse(Buffer.from(bytes).toString('utf8'))
    return version === 1 && Array.isArray(files) && files.every(isTrustedFile) ? files : null
  } catch {
    return null
  }
}

const isTrustedFile = (given: unknown): given is TrustedFile => {
  const { path, kind, sha256, trusted_at } = (given ?? {}) as Record<string, unknown>
  return [path, kind, sha256, trusted_at].every((each) => typeof each === 'string')
}

/** People keep their settings elsewhere and link to them; the link stays. */
function pathToReplace(path: string): string {
  try {
    return fs.realpathSync(path)
  } catch {
    return path
  }
}

function replaceFile(path: string, text: string): void {
  const partial = `${path}.${randomUUID()}.part`
  try {
    fs.writeFileSync(partial, text, { mode: 0o600, flag: 'wx', flush: true })
    fs.renameSync(partial, path)
  } finally {
    fs.rmSync(partial, { force: true })
  }
}

/** Held for a moment without a pause in it, so only a machine that stops right then leaves one behind. */
async function withLock(path: string, run: () => void): Promise<void> {
  for (const start = Date.now(); !takeLock(path); await sleep(lockPauseMs)) {
    if (Date.now() - start < lockMsMax) continue
    throw new StoreError(
      'locked',
      `Another "holdfast trust" holds ${path}.`,
      'Remove that file if none is running.',
    )
  }
  try {
    run()
  } finally {
    fs.rmSync(path, { force: true })
  }
}

function takeLock(path: string): boolean {
  try {
    fs.closeSync(fs.openSync(path, 'wx', 0o600))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
