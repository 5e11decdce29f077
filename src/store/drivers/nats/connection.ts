import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type JetStreamClient,
  JetStreamError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import { Parser } from '@nats-io/nats-core/internal'
import {
  type Authenticator,
  connect,
  credsAuthenticator,
  errors,
  type MsgHdrs,
  type NatsConnection,
  nkeyAuthenticator,
} from '@nats-io/transport-node'
import { StoreError } from '../../error.ts'
import { rememberSecret } from '../../shown-cause.ts'
import { apiCodeOf, downError, isNoResponders, noJetStream, storeErrorOf } from './failure.ts'
import type { NatsSettings } from './url.ts'

/** The share of a call's time that one request may take before it is made again. */
const attemptShare = 0.3
const connectShare = 0.9
const pauseMsMax = 200
const connectedLookMs = 20

/** The server denied what was sent to a subject. */
type Violation = InstanceType<typeof errors.PermissionViolationError>

/** The connection to a server or cluster, which comes back by itself for as long as it takes. */
export class Connection {
  readonly settings: NatsSettings
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly jetstream: JetStreamClient
  readonly #reconnectListeners = new Set<() => void>()
  #isConnected = true
  #violation: { readonly error: Violation; readonly at: number } | undefined

  constructor(nats: NatsConnection, manager: JetStreamManager, settings: NatsSettings) {
    this.nats = nats
    this.manager = manager
    this.settings = settings
    this.jetstream = jetstream(nats, { timeout: attemptMs(settings) })
    void this.#follow()
  }

  get shown(): string {
    return this.settings.shown
  }

  /** When the current call has to be over. */
  deadline(): number {
    return performance.now() + this.settings.answerMsMax
  }

  /** Asks until there is an answer or the time is up. Only for what changes nothing. */
  async ask<T>(request: () => Promise<T>, deadline = this.deadline()): Promise<T> {
    const since = performance.now()
    for (;;) {
      try {
        return await request()
      } catch (error) {
        const isDenied = this.#violationSince(since) !== undefined
        if (!isPassing(error) || isDenied || !this.hasTime(deadline))
          throw this.explain(error, since)
      }
      await sleep(Math.random() * pauseMsMax)
    }
  }

  /** Whether another request could still be answered in time. */
  hasTime(deadline: number): boolean {
    return performance.now() + attemptMs(this.settings) <= deadline
  }

  /** One request that may change something: made once, and answered or not. */
  async request(subject: string, payload: Uint8Array, headers: MsgHdrs): Promise<Uint8Array> {
    const answer = await this.nats.request(subject, payload, {
      headers,
      timeout: attemptMs(this.settings),
    })
    return answer.data
  }

  /** A failure in our own words; a permission that was denied since then explains a silence. */
  explain(error: unknown, since = Number.POSITIVE_INFINITY): unknown {
    const isSilence = error instanceof Error && !(error instanceof StoreError) && isPassing(error)
    const denied = isSilence ? this.#violationSince(since) : undefined
    return storeErrorOf(denied ?? error, this.shown)
  }

  /** Which server this is; another one after a restart. */
  get serverId(): string {
    return this.nats.info?.server_id ?? ''
  }

  /** What denied one of these subjects since then, in our own words: what was sent there did not arrive. */
  denialOf(subjects: readonly string[], since: number): unknown {
    const denied = this.#violationSince(since)
    return denied && subjects.includes(denied.subject)
      ? storeErrorOf(denied, this.shown)
      : undefined
  }

  #violationSince(since: number): Violation | undefined {
    return this.#violation && this.#violation.at >= since ? this.#violation.error : undefined
  }

  /** Waits for a lost connection to come back. What is sent meanwhile would arrive late, if ever. */
  async connected(deadline: number): Promise<void> {
    while (!this.#isConnected) {
      if (performance.now() >= deadline) throw downError(this.shown)
      await sleep(connectedLookMs)
    }
  }

  onReconnect(listener: () => void): () => void {
    this.#reconnectListeners.add(listener)
    return () => this.#reconnectListeners.delete(listener)
  }

  #deny(error: Violation): void {
    // Tidying up behind a list may be forbidden: the server does it by itself after a while.
    if (error.subject.startsWith('$JS.API.CONSUMER.DELETE.')) return
    this.#violation = { error, at: performance.now() }
  }

  async #follow(): Promise<void> {
    for await (const status of this.nats.status()) {
      if (status.type === 'disconnect') this.#isConnected = false
      if (status.type === 'reconnect') {
        this.#isConnected = true
        for (const listener of this.#reconnectListeners) listener()
      }
      if (status.type === 'error' && status.error instanceof errors.PermissionViolationError)
        this.#deny(status.error)
    }
  }
}

const attemptMs = ({ answerMsMax }: NatsSettings): number => Math.ceil(answerMsMax * attemptShare)

/** Failures that say nothing but "not now": silence, a lost connection, a stream without a leader. */
export function isPassing(error: unknown): boolean {
  if (isNoResponders(error)) return true
  const code = apiCodeOf(error)
  if (code !== undefined) return code === systemUnavailable || code === noSuitablePeers
  return (
    error instanceof errors.TimeoutError ||
    error instanceof errors.RequestError ||
    error instanceof errors.ConnectionError ||
    error instanceof JetStreamError
  )
}

/** "JetStream system temporarily unavailable": a cluster is choosing its leader. */
const systemUnavailable = 10008
/** "No suitable peers for placement": too few of its nodes are there just now. */
const noSuitablePeers = 10005

export async function connectNats(settings: NatsSettings): Promise<Connection> {
  const nats = await connectOnce(settings)
  try {
    if (!nats.info?.jetstream) throw noJetStream(settings.shown)
    const manager = await jetstreamManager(nats, {
      checkAPI: false,
      timeout: attemptMs(settings),
    })
    return new Connection(nats, manager, settings)
  } catch (error) {
    await nats.close()
    throw storeErrorOf(error, settings.shown)
  }
}

async function connectOnce(settings: NatsSettings): Promise<NatsConnection> {
  hideUnreadable()
  const { servers, credentials, answerMsMax, shown } = settings
  const { user, pass, token, nkeySeed, tls } = credentials
  for (const secret of [pass, token, nkeySeed]) rememberSecret(secret)
  try {
    return await connect({
      servers: [...servers],
      // For each of them in turn.
      timeout: (answerMsMax * connectShare) / servers.length,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      ignoreAuthErrorAbort: true,
      name: 'holdfast',
      ...(user === undefined ? {} : { user }),
      ...(pass === undefined ? {} : { pass }),
      ...(token === undefined ? {} : { token }),
      ...(tls === undefined ? {} : { tls }),
      ...authenticatorOf(settings),
    })
  } catch (error) {
    throw storeErrorOf(isForeign(error) ? foreignServer(shown, error) : error, shown)
  }
}

let isHidden = false

/**
 * The library prints what it can't parse, with the bytes, and a server may repeat the password that it was told. Nothing of
 * what it sends stands in the error now.
 */
function hideUnreadable(): void {
  if (isHidden) return
  isHidden = true
  const { parse } = Parser.prototype
  Parser.prototype.parse = function (bytes) {
    try {
      parse.call(this, bytes)
    } catch {
      throw new Error('The server has sent something that is not NATS.')
    }
  }
}

function authenticatorOf({ credentials }: NatsSettings): { authenticator?: Authenticator } {
  const { nkeySeed, credsFile } = credentials
  if (credsFile) {
    const bytes = readFile(credsFile)
    for (const line of Buffer.from(bytes).toString('latin1').split(/\s+/))
      if (line.length >= secretWordCharactersMin) rememberSecret(line)
    return signing(credsAuthenticator(bytes), `The creds file ${credsFile}`, 'creds')
  }
  if (nkeySeed) return signing(nkeyAuthenticator(Buffer.from(nkeySeed)), 'The nkey', 'nkey')
  return {}
}

/** What it signs with turns out to be broken only as it signs. To the library that is one more failure to connect. */
const signing = (authenticator: Authenticator, what: string, parameter: string) => ({
  authenticator: (nonce?: string) => {
    try {
      return authenticator(nonce)
    } catch (error) {
      throw new StoreError(
        'permission',
        `${what} can't be used: ${(error as Error).message}.`,
        `Check the parameter ${parameter} or the variable NATS_${parameter.toUpperCase()}.`,
        error,
      )
    }
  },
})

const pathCharactersMax = 400
/** Seeds and tokens are far longer than the words around them. */
const secretWordCharactersMin = 30

function readFile(path: string): Uint8Array {
  try {
    return readFileSync(path)
  } catch (error) {
    // Somebody may have given the credentials themselves.
    const isPath = path.length < pathCharactersMax && !/-----|^eyJ|^S[A-Z0-9]{50}/.test(path)
    throw new StoreError(
      'permission',
      isPath
        ? `The creds file ${path} can't be read.`
        : 'What was given as creds is no path of a file.',
      'Check the parameter creds or the variable NATS_CREDS.',
      isPath ? error : undefined,
    )
  }
}

/** Something answers there, but it does not speak NATS. */
const isForeign = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'ProtocolError' || /\bINFO\b|protocol/.test(error.message))

const foreignServer = (shown: string, cause: unknown): StoreError =>
  new StoreError(
    'foreign_server',
    `What answers at ${shown} is no NATS server.`,
    'Check host and port; NATS usually listens on 4222.',
    cause,
  )
