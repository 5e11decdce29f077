import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import type { Server } from 'node:https'
import { createSecureContext } from 'node:tls'
import { ListenError } from './listen-error.ts'

/** Where certificate and key are, as PEM. */
export interface TlsFiles {
  readonly certPath: string
  readonly keyPath: string
}

interface KeyPair {
  readonly cert: Buffer
  readonly key: Buffer
}

/** What a chain of certificates never has. */
const fileBytesMax = 1_000_000
/** How often to look at the files. A change counts once two looks in a row agree. */
const pollMsDefault = 1_000

export const tlsOptions = { minVersion: 'TLSv1.2' } as const

/** Reads both files and checks that they belong together. Throws a ListenError. */
export function readKeyPair({ certPath, keyPath }: TlsFiles): KeyPair {
  const { bytes: cert } = readPem(certPath)
  const { bytes: key, mode } = readPem(keyPath)
  // Anyone who reads the key can impersonate this server.
  if ((mode & 0o077) !== 0)
    throw new ListenError(
      `The key ${keyPath} can be read or changed by other users.`,
      `Run "chmod 600 ${keyPath}".`,
      { isUnusableFile: true },
    )
  const certificate = certificateIn(cert, certPath)
  if (!certificate.checkPrivateKey(privateKeyIn(key, keyPath)))
    throw new ListenError(
      `The certificate ${certPath} does not match the key ${keyPath}.`,
      'Pass the key that the certificate was made for.',
    )
  checkUsable({ cert, key }, certPath)
  return { cert, key }
}

/** The rest of a chain may be cut off, and a pair too weak. */
function checkUsable(pair: KeyPair, certPath: string): void {
  try {
    createSecureContext({ ...pair, ...tlsOptions })
  } catch (cause) {
    const why = (cause as Error).message.split(':').at(-1)
    throw new ListenError(
      `The certificate ${certPath} can't be used: ${why}.`,
      'Pass a complete chain, in PEM, of certificates that are strong enough.',
      { cause },
    )
  }
}

/** Checks the open file rather than the path, which may change in between. Does not block on a pipe. */
function readPem(path: string): { bytes: Buffer; mode: number } {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new Error('it is no file')
    if (stats.size > fileBytesMax) throw new Error(`it has more than ${fileBytesMax} bytes`)
    return { bytes: readFileSync(file), mode: stats.mode }
  } catch (error) {
    throw new ListenError(
      `Can't read ${path}: ${(error as Error).message}.`,
      'Check the path and its permissions.',
      { cause: error },
    )
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function certificateIn(pem: Buffer, path: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (cause) {
    throw new ListenError(`${path} holds no certificate.`, 'Pass a PEM file.', { cause })
  }
}

function privateKeyIn(pem: Buffer, path: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    const isEncrypted = (cause as NodeJS.ErrnoException).code === 'ERR_MISSING_PASSPHRASE'
    const what = isEncrypted ? `The key ${path} is encrypted.` : `${path} holds no private key.`
    throw new ListenError(what, 'Pass a PEM file without a passphrase.', { cause })
  }
}

interface FollowOptions {
  readonly log: (line: string) => void
  /** The files as they were before the pair in use was read: what has changed since is reloaded. */
  readonly since?: string | undefined
  readonly pollMs?: number | undefined
}

/**
 * Reloads the pair when its files change; open connections stay. Polls instead of watching, because tools replace
 * certificates by renaming links and parent folders, which watches miss.
 */
export function followKeyPair(
  server: Pick<Server, 'setSecureContext'>,
  files: TlsFiles,
  { log, since, pollMs = pollMsDefault }: FollowOptions,
): Disposable {
  let used = since ?? stateOf(files)
  let seen = used
  const look = () => {
    const state = stateOf(files)
    // Certificate and key are seldom replaced at the same instant.
    const isSettled = state === seen
    seen = state
    if (!isSettled || state === used) return
    used = state
    try {
      server.setSecureContext({ ...readKeyPair(files), ...tlsOptions })
      log(`Reloaded the certificate ${files.certPath}.`)
    } catch (error) {
      const { message } = error as Error
      log(`Kept the old certificate: ${message}`)
    }
  }
  const timer = setInterval(look, pollMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** What changes with the files. */
export const stateOf = ({ certPath, keyPath }: TlsFiles): string =>
  [certPath, keyPath]
    .map((path) => {
      const { ino, size, mtimeMs, ctimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {}
      return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
    })
    .join()
