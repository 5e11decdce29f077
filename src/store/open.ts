import { StoreError } from './error.ts'
import type { Check } from './examination.ts'
import type { OpenOptions, Scheme } from './scheme.ts'
import { schemes } from './schemes.ts'
import { shownUrl } from './shown-url.ts'
import type { Store } from './store.ts'

export type { OpenOptions } from './scheme.ts'

/** The forms of a store's URL, for messages and help. */
export const storeUrlForms: readonly string[] = Object.values(schemes).flatMap(({ forms }) => forms)

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
  const found = schemeIn(url)
  if (found === null) throw unknownUrl(url, 'no driver has this scheme')
  return found.scheme.open(fileIn(found, url) ?? found.rest, options)
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
export const storeFile = (url: string): string | null => {
  const found = schemeIn(url)
  return found && fileIn(found, url)
}

/** What the driver of a URL says of it; null where no driver has its scheme. */
export const schemeOf = (url: string): Scheme | null => schemeIn(url)?.scheme ?? null

/** Who but its owner can read a store; null for one that is no file. To be asked before it is opened. */
export async function permissionCheck(url: string): Promise<Check | null> {
  const found = schemeIn(url)
  const file = found && fileIn(found, url)
  return (file !== null && (await found?.scheme.permissionCheck?.(file))) || null
}

/** Whether a store that was found missing is made by the first command that adds something. */
export function isBegunByAdding(url: string, error: StoreError): boolean {
  const found = schemeIn(url)
  return found?.scheme.isBegunByAdding(found.rest, error) ?? true
}

interface Found {
  readonly scheme: Scheme
  readonly rest: string
}

function schemeIn(url: string): Found | null {
  const [, name = '', rest = ''] = /^([a-z][a-z0-9+]*):(.*)$/s.exec(url) ?? []
  const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined
  return scheme ? { scheme, rest } : null
}

function fileIn({ scheme, rest }: Found, url: string): string | null {
  const file = scheme.fileOf?.(rest)
  if (file === undefined) return null
  if ('flaw' in file) throw unknownUrl(url, file.flaw)
  return file.path
}

const shownCharactersMax = 80

function unknownUrl(url: string, why: string): StoreError {
  return new StoreError(
    'unknown_url',
    `Not the URL of a store: ${JSON.stringify(shownUrl(url).slice(0, shownCharactersMax))} (${why}).`,
    `Use ${storeUrlForms.join(', ')}.`,
  )
}
