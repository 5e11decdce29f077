import type { StoreError } from '../../error.ts'
import type { CommitResult, Write } from '../../store.ts'
import { NoAnswer } from './answer.ts'
import { contentType, stamp } from './body.ts'
import {
  afterHeader,
  type Bucket,
  etagOf,
  type ObjectState,
  plainHeader,
  writeHeader,
} from './bucket.ts'
import type { Ask, Deadline } from './client.ts'
import { lostAnswerError, Refusal } from './failure.ts'
import { nameOf } from './names.ts'
import { landedBefore } from './trace.ts'
import { newWriteId } from './write-id.ts'

/** What a write finds where it may go: nothing, or the state with this ETag. */
export type Expected = string | null

/** One write on its way, in the form that S3 takes. Sent again, it is the same to the byte. */
interface Attempt {
  readonly key: string
  readonly name: string
  readonly writeId: string
  readonly expected: Expected
  readonly isCreation: boolean
  readonly ask: Ask
}

const conflict: CommitResult = { ok: false }

/** What an ETag may consist of; no state has another revision. */
const etagPattern = /^[\x21\x23-\x7e]+$/

/** The server looked at the condition and said no: nothing was done, as far as this one request goes. */
class Refused extends NoAnswer {}

/**
 * Writes by condition. An answer that is missing, or that a gateway's second try may have earned, is never taken
 * at its word: the object says by its metadata which write made it and which state that write replaced.
 *
 * - Ours is there, or another's that was made from ours: it is done.
 * - What we expected is there: it did not happen, or not yet. The same bytes are sent again; if the first ones
 *   arrive late, one of the two fails by its condition.
 * - Another's is there, made from what we expected: ours can't have been in between. A conflict.
 * - Another's is there, made from something else: the versions of the object tell, where they are kept. Otherwise,
 *   after a lost answer, the outcome is unknown.
 */
export class Writer {
  readonly #bucket: Bucket
  readonly #isVersioned: boolean
  /** Whether the server honours a condition on DELETE; if not, removal writes an empty object. */
  isDeletionSafe = false

  constructor(bucket: Bucket, isVersioned: boolean) {
    this.#bucket = bucket
    this.#isVersioned = isVersioned
  }

  async commit(write: Write): Promise<CommitResult> {
    if (write.type !== 'create' && !etagPattern.test(write.revision)) return conflict
    return this.#bucket.run(async (deadline) => {
      const result = await this.#settle(this.#attempt(write), deadline)
      return write.type === 'remove' && result.ok ? { ok: true, revisions: [null] } : result
    })
  }

  #attempt(write: Write): Attempt {
    const { key } = write
    const name = nameOf(key)
    const writeId = newWriteId()
    const expected = write.type === 'create' ? null : write.revision
    const base = { key, name, writeId, expected, isCreation: write.type === 'create' }
    if (write.type === 'remove' && this.isDeletionSafe)
      return { ...base, ask: { kind: 'DELETE', name, headers: conditionOf(expected) } }
    // An empty body would mean that there is nothing.
    const isPlain = write.type === 'create' && write.once === true && write.value.byteLength > 0
    const body =
      write.type === 'remove' ? empty : isPlain ? write.value : stamp(write.value, writeId)
    const headers = linkOf(expected)
    headers['content-type'] = contentType(key, body)
    headers[writeHeader] = writeId
    if (isPlain) headers[plainHeader] = 'yes'
    return { ...base, ask: { kind: 'PUT', name, headers, body } }
  }

  async #settle(first: Attempt, deadline: Deadline): Promise<CommitResult> {
    let attempt = first
    let isLost = false
    for (let count = 1; ; count++) {
      const sent = await this.#send(attempt, deadline)
      if ('etag' in sent) return done(sent.etag)
      isLost ||= sent.isSent
      const isLooked = sent instanceof Refused || isLost
      const verdict = isLooked ? await this.#judge(attempt, isLost, deadline) : attempt
      if ('ok' in verdict) return verdict
      const isSame = verdict === attempt
      attempt = verdict
      if (isSame && !(await deadline.pause(count)))
        throw isLost ? this.#unknown(attempt, sent) : sent
    }
  }

  async #send({ ask }: Attempt, deadline: Deadline): Promise<{ etag: string | null } | NoAnswer> {
    try {
      const answer = await this.#bucket.send(ask, deadline)
      if (answer.status >= 200 && answer.status < 300)
        return { etag: ask.kind === 'DELETE' ? null : etagOf(answer) }
      const refusal = new Refusal(answer)
      if (isRefused(refusal)) return new Refused(refusal, false)
      if (answer.status === 429) return new NoAnswer(refusal, false)
      if (isServerFailure(answer.status)) return new NoAnswer(refusal, true)
      throw refusal
    } catch (error) {
      if (error instanceof NoAnswer) return error
      throw error
    }
  }

  /** Looks at the object after anything but a success: what to answer, or what to send next. */
  async #judge(
    attempt: Attempt,
    isLost: boolean,
    deadline: Deadline,
  ): Promise<CommitResult | Attempt> {
    const state = await this.#asking(attempt, () => this.#bucket.look(attempt.name, deadline))
    if (state?.writeId === attempt.writeId) return done(state.etag)
    const own = this.#etagOfBody(attempt)
    if (own !== null && (state?.etag === own || state?.after === own)) return done(own)
    if (isLost && state?.isHidden) throw this.#unknown(attempt)
    const { expected, isCreation } = attempt
    const isAsExpected = (state?.etag ?? null) === expected
    // States never come back, but absence does: ours may have been there and removed again.
    const isOnce = !(isCreation && isLost)
    const isExcluded = isAsExpected || (state !== null && (state.after ?? null) === expected)
    if (!(isOnce && isExcluded)) {
      // Absence after a silence may be the absence of what was there and is gone again.
      const isDoubtful = isLost && (!isAsExpected || isCreation)
      const landed = await this.#trace(attempt, isDoubtful, deadline)
      if (landed !== null) return done(landed)
    }
    if (isAsExpected) return attempt
    return isCreation && (state === null || state.isEmpty) ? expecting(attempt, state) : conflict
  }

  /** The ETag that our write had before another replaced it; null where it never was there. */
  async #trace(attempt: Attempt, isDoubtful: boolean, deadline: Deadline): Promise<string | null> {
    // Which removal a delete marker came from, nothing tells.
    const isTraceable = this.#isVersioned && attempt.ask.kind !== 'DELETE'
    const landed = isTraceable
      ? await this.#asking(attempt, () => landedBefore(this.#bucket, attempt, deadline))
      : undefined
    if (landed === undefined && isDoubtful) throw this.#unknown(attempt)
    return landed ?? null
  }

  /** While the server can't be asked what has become of a write, nobody knows. */
  async #asking<T>(attempt: Attempt, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      const isAnswered = error instanceof Refusal && error.status < 500
      throw isAnswered ? error : this.#unknown(attempt, error)
    }
  }

  /**
   * The ETag of what an attempt wrote, on servers that hash the body; null where others may have written the same bytes.
   * On other servers nothing has this ETag.
   */
  #etagOfBody({ ask: { kind, body, headers } }: Attempt): string | null {
    if (kind !== 'PUT' || body === undefined || body.byteLength === 0) return null
    return headers?.[plainHeader] === undefined ? this.#bucket.client.hashes.md5(body) : null
  }

  #unknown({ key }: Attempt, cause?: unknown): StoreError {
    return lostAnswerError(key, this.#bucket.client.place.shown, cause)
  }
}

const empty = new Uint8Array()

const done = (etag: string | null): CommitResult => ({ ok: true, revisions: [etag] })

/** The condition, and for later readers what it was. */
const linkOf = (expected: Expected): Record<string, string> =>
  expected === null ? conditionOf(expected) : { ...conditionOf(expected), [afterHeader]: expected }

const conditionOf = (expected: Expected): Record<string, string> =>
  expected === null ? { 'if-none-match': '*' } : { 'if-match': `"${expected}"` }

/** Storage that is full, and requests that the server does not know, change nothing. */
const isServerFailure = (status: number): boolean =>
  status >= 500 && status !== 501 && status !== 507

/** 409: another write was under way. 404: there is nothing that If-Match could match. */
const isRefused = ({ status, word }: Refusal): boolean =>
  status === 412 || status === 409 || (status === 404 && word !== 'NoSuchBucket')

/** A creation where an empty object marks a removal replaces that one; where that has gone, it is an ordinary one. */
function expecting(attempt: Attempt, state: ObjectState | null): Attempt {
  const expected = state?.etag ?? null
  const headers = { ...attempt.ask.headers }
  for (const name of ['if-none-match', 'if-match', afterHeader]) delete headers[name]
  Object.assign(headers, linkOf(expected))
  return { ...attempt, expected, ask: { ...attempt.ask, headers } }
}
