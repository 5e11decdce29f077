import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { StoreError } from './error.ts'
import { shownUrl } from './shown-url.ts'
import type { Store } from './store.ts'

/** How to open a store. */
export interface OpenOptions {
  /** Whether to make a store where there is none; with false a missing store is refused. */
  readonly create?: boolean
}

type Opener = (rest: string, options: OpenOptions) => Promise<Store>

/** Drivers are loaded when their scheme is opened: a user of one never loads the others. */
const openers: Readonly<Record<string, Opener>> = {
  memory: async (name, options) => {
    const { openMemory } = await import('./drivers/memory.ts')
    return openMemory(name, options)
  },
  nats: async (rest, options) => {
    const { openNats } = await import('./drivers/nats/driver.ts')
    return openNats(rest, options)
  },
  s3: async (rest, options) => {
    const { openS3 } = await import('./drivers/s3/driver.ts')
    return openS3(`s3:${rest}`, options)
  },
  sqlite: async (rest, options) => {
    const path = sqlitePath(rest)
    const { openSqlite } = await import('./drivers/sqlite/driver.ts')
    return openSqlite(path, options)
  },
}

/** The forms of a store's URL, for messages and help. */
export const storeUrlForms = [
  'sqlite:PATH',
  'nats://HOST:4222',
  's3://BUCKET?endpoint=URL',
  'memory:',
  'memory:NAME',
] as const

/**
 * Opens the store that a URL names.
 *
 * - `sqlite:PATH`: an embedded file; `~/` means the home folder.
 * - `nats://HOST:4222`: JetStream; several hosts are separated by commas.
 * - `s3://BUCKET/PREFIX?endpoint=URL&region=REGION`: a bucket, of S3 or of a server that speaks its language.
 * - `memory:`: private to this call; `memory:NAME`: shared within the process, and gone with it.
 *
 * @throws `StoreError`: `unknown_url` for a URL that can't be one, `missing_store` with `create: false` where there is
 * none, and whatever keeps the engine from being opened, such as `foreign_file`, `permission` or `down`.
 *
 * @example
 * ```js
 * import { create, openStore } from 'holdfast/store'
 *
 * const store = await openStore('memory:')
 * console.log((await store.commit([create('shop/visits', Uint8Array.of(1))])).ok) // true
 * await store[Symbol.asyncDispose]()
 * ```
 */
export async function openStore(url: string, options: OpenOptions = {}): Promise<Store> {
  if (typeof url !== 'string') throw unknownUrl('', 'it is no text')
  const [, scheme, rest] = /^([a-z][a-z0-9+]*):(.*)$/s.exec(url) ?? []
  const opener =
    scheme !== undefined && Object.hasOwn(openers, scheme) ? openers[scheme] : undefined
  if (!opener) throw unknownUrl(url, 'no driver has this scheme')
  return opener(rest as string, options)
}

/**
 * The path of the file that a URL names; null for a store that is no file. It is as `openStore` opens it, so whoever must
 * know where data goes reads a URL no differently. A relative path starts at the working directory.
 *
 * @throws `StoreError`: `unknown_url` for a `sqlite:` URL without a usable path.
 *
 * @example
 * ```js
 * import { storeFile } from 'holdfast/store'
 *
 * console.log(storeFile('sqlite:///srv/tasks.db')) // /srv/tasks.db
 * console.log(storeFile('nats://localhost:4222')) // null
 * ```
 */
export const storeFile = (url: string): string | null =>
  url.startsWith('sqlite:') ? sqlitePath(url.slice('sqlite:'.length)) : null

/** `sqlite:PATH` takes the path as it is; `sqlite:///PATH`, as other tools write it, means the same. */
function sqlitePath(rest: string): string {
  const path = rest.startsWith('///') ? rest.slice(2) : rest
  if (path === '' || path.startsWith('//') || path.includes('\0'))
    throw unknownUrl(`sqlite:${rest}`, 'it names no path')
  if (path === ':memory:') throw unknownUrl(`sqlite:${rest}`, 'a store in memory is memory:')
  if (path.endsWith('/')) throw unknownUrl(`sqlite:${rest}`, 'it names a folder, not a file')
  return path.startsWith('~/') ? join(home(), path.slice(2)) : path
}

/** A user without an account has a home only where `HOME` says so. */
function home(): string {
  try {
    return homedir()
  } catch {
    throw unknownUrl('sqlite:~/', 'this user has no home directory')
  }
}

const shownCharactersMax = 80

/** The file that a URL of SQLite means; null for any other URL. */
export const sqliteFileOf = (url: string): string | null =>
  url.startsWith('sqlite:') ? resolve(sqlitePath(url.slice('sqlite:'.length))) : null

function unknownUrl(url: string, why: string): StoreError {
  return new StoreError(
    'unknown_url',
    `Not the URL of a store: ${JSON.stringify(shownUrl(url).slice(0, shownCharactersMax))} (${why}).`,
    `Use ${storeUrlForms.join(', ')}.`,
  )
}
