import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../../error.ts'
import type { CommitResult, Write } from '../../store.ts'
import { type Request, Turns } from '../../turns.ts'
import type { Bucket } from './bucket.ts'
import { type Connection, isPassing } from './connection.ts'
import { apiCodes, downError, isNoResponders, lastingRefusal, lostAnswerError } from './failure.ts'
import { type Answer, isOneOf, type Message, messageOf, sendBatch, sendOne } from './message.ts'
import { subjectOf } from './subject.ts'

/** How much one batch takes of what waits; the server's own limit is 1000 messages. */
const batchMessagesMax = 1000
const batchBytesMax = 8_000_000
const pauseMsMax = 100
/** How often to look again when keys are removed and created anew under our hands. */
const refusalsMax = 8

/**
 * The commits to one bucket. A commit of one write goes out at once, beside others. Commits of several
 * need atomic batches, which cost the server about the same whatever their size: those that wait while
 * one is under way share the next. When a shared batch is refused its halves are tried, down to the
 * commit that is to blame, so that one conflict harms nobody else.
 */
export class Writer {
  readonly #connection: Connection
  readonly #bucket: Bucket
  readonly #turns = new Turns<Message>({
    writesMax: batchMessagesMax,
    bytesMax: batchBytesMax,
    bytesOf: ({ payload }) => payload.byteLength,
    mayRepeatKeys: false,
    run: (turn) => this.#decide(turn),
  })

  constructor(connection: Connection, bucket: Bucket) {
    this.#connection = connection
    this.#bucket = bucket
  }

  commit(writes: readonly Write[]): Promise<CommitResult> {
    // The server would take what is no sequence number for no expectation at all.
    if (!writes.every(hasPossibleExpectation)) return Promise.resolve({ ok: false })
    const deadline = this.#connection.deadline()
    return new Promise((resolve, reject) => {
      const request = { writes: writes.map(messageOf), deadline, resolve, reject }
      if (writes.length === 1) void this.#decide([request])
      else this.#turns.add(request)
    })
  }

  /** Sends a turn, and settles each of its requests. Never throws. */
  async #decide(turn: readonly Request<Message>[]): Promise<void> {
    const messages = turn.flatMap(({ writes }) => writes)
    try {
      const answer = await this.#deliver(messages)
      if (answer.type === 'refused') await this.#afterRefusal(turn)
      else await this.#acknowledge(turn, answer)
    } catch (error) {
      const failure = this.#connection.explain(error)
      for (const request of turn) request.reject(failure)
      // What has waited in vain behind a failure, and was never sent, does not wait for another one.
      this.#turns.failOverdue(() => downError(this.#connection.shown, failure))
    }
  }

  async #afterRefusal(turn: readonly Request<Message>[]): Promise<void> {
    if (turn.length > 1) {
      const middle = turn.length >> 1
      await this.#decide(turn.slice(0, middle))
      await this.#decide(turn.slice(middle))
      return
    }
    const [request] = turn as [Request<Message>]
    for (let refusals = 1; refusals <= refusalsMax; refusals++) {
      if (!(await this.#expectRemovals(request.writes))) break
      const answer = await this.#deliver(request.writes)
      if (answer.type !== 'refused') return this.#acknowledge(turn, answer)
    }
    request.resolve({ ok: false })
  }

  /**
   * A key that was removed has a last message still: creating it anew has to expect that one. Says
   * whether that changed anything, and so whether another try may succeed.
   */
  async #expectRemovals(messages: readonly Message[]): Promise<boolean> {
    let hasChanged = false
    for (const message of messages) {
      if (message.type !== 'create') continue
      const last = await this.#bucket.last(message.key)
      if (last !== null && last.value !== null) return false
      const expected = last?.revision ?? '0'
      hasChanged ||= message.expected !== expected
      message.expected = expected
    }
    return hasChanged
  }

  /** The revisions of a batch are a row of numbers that ends with the one in the answer. */
  async #acknowledge(turn: readonly Request<Message>[], answer: Answer): Promise<void> {
    const messages = turn.flatMap(({ writes }) => writes)
    const known = 'lastSequence' in answer ? answer.lastSequence : null
    const last =
      known ?? (await this.#findSequence(messages).catch((error) => this.#applied(error)))
    let sequence = last === null ? null : last - messages.length
    for (const { writes, resolve } of turn) {
      const revisions = writes.map(({ type, writeId }) => {
        if (sequence !== null) sequence++
        if (type === 'remove') return null
        // Already overwritten by others: a name for that state which no key has any more.
        return sequence === null ? `gone-${writeId}` : String(sequence)
      })
      resolve({ ok: true, revisions })
    }
  }

  /** It is written, so no failure to find out where may be taken for "nothing happened". */
  #applied(failure: unknown): never {
    throw lostAnswerError(this.#connection.shown, failure)
  }

  /** Where an earlier, unanswered try put these messages: one that is still a key's last tells it. */
  async #findSequence(messages: readonly Message[]): Promise<number | null> {
    for (const [index, { key }] of messages.entries()) {
      const last = await this.#bucket.last(key)
      if (last && isOneOf(messages, last))
        return Number(last.revision) + messages.length - 1 - index
    }
    return null
  }

  /** Sends until the server has said yes or no, or the time is up. */
  async #deliver(messages: readonly Message[]): Promise<Answer> {
    const { shown } = this.#connection
    const deadline = this.#connection.deadline()
    const doubt: Doubt = {
      since: performance.now(),
      serverId: this.#connection.serverId,
      is: false,
    }
    let failure: unknown
    do {
      try {
        await this.#connection.connected(deadline)
        const answer = await this.#send(messages, doubt.is)
        if (answer.type === 'refused' && doubt.is) return await this.#readBack(messages, doubt)
        if (answer.type !== 'failed') return answer
        if (answer.code === apiCodes.insufficientResources)
          doubt.is ||= await this.#mayBeThere(messages)
        failure = lastingRefusal(answer.code, answer.reason, shown) ?? new Error(answer.reason)
      } catch (error) {
        failure = error
        if (isNoResponders(error)) this.#bucket.forget()
        else if (isPassing(error)) doubt.is = true
      }
      if (failure instanceof StoreError || !isWorthwhile(failure)) break
      await sleep(Math.random() * pauseMsMax)
    } while (this.#connection.hasTime(deadline))
    if (doubt.is && !isDenied(failure)) throw this.#undecided(messages, failure, doubt)
    throw this.#connection.explain(failure, doubt.since)
  }

  /** A server whose disk fills up while it writes a batch answers that it could not, and keeps what it has written. */
  #mayBeThere(messages: readonly Message[]): Promise<boolean> {
    return this.#findSequence(messages).then(
      (sequence) => sequence !== null,
      () => true,
    )
  }

  /** A silence may come from a permission that this user lacks; then nothing was written. */
  #undecided(messages: readonly Message[], failure: unknown, { since }: Doubt): unknown {
    const subjects = messages.map(({ key }) => subjectOf(key))
    const denial = this.#connection.denialOf(subjects, since)
    return denial ?? lostAnswerError(this.#connection.shown, failure)
  }

  /** In doubt, a batch is the better question: it knows ids that were applied before the expectations. */
  async #send(messages: readonly Message[], isInDoubt: boolean): Promise<Answer> {
    const { atomicBatches, expiringMarks } = await this.#bucket.ensure()
    const [first] = messages as [Message]
    if (messages.length === 1 && !(isInDoubt && atomicBatches))
      return sendOne(this.#connection, first, expiringMarks)
    if (atomicBatches) return sendBatch(this.#connection, messages, expiringMarks)
    throw new StoreError(
      'too_many_writes',
      `The bucket "${this.#bucket.namespace}" takes one write at a time.`,
      'Use a NATS server of version 2.12 or newer, whose stream allows atomic batches.',
    )
  }

  /** Refused after a silence: by what we ourselves wrote before it, or by somebody else's write? */
  async #readBack(messages: readonly Message[], doubt: Doubt): Promise<Answer> {
    const lastSequence = await this.#findSequence(messages)
    if (lastSequence !== null) return { type: 'duplicate', lastSequence }
    const { atomicBatches, duplicateWindowMs } = await this.#bucket.ensure()
    // A batch would have named the ids as known, had they got there, as long as the server remembers them: a
    // restart makes it forget the ids of what was overwritten since.
    const isRemembered =
      this.#connection.serverId === doubt.serverId &&
      performance.now() - doubt.since < duplicateWindowMs
    if (atomicBatches && isRemembered) return { type: 'refused' }
    for (const { key, expected } of messages) {
      const last = await this.#bucket.last(key)
      // Still as expected: ours, which changes them all, never got there.
      if (expected !== '0' && last?.revision === expected) return { type: 'refused' }
    }
    throw lostAnswerError(this.#connection.shown)
  }
}

/** Whether an answer is missing, since when, and which server it was. */
interface Doubt {
  is: boolean
  readonly since: number
  readonly serverId: string
}

/** A failure after which the same request may still succeed. */
const isWorthwhile = (failure: unknown): boolean =>
  isPassing(failure) || (failure instanceof Error && failure.constructor === Error)

const isDenied = (failure: unknown): boolean =>
  failure instanceof StoreError && failure.reason === 'permission'

const hasPossibleExpectation = (write: Write): boolean =>
  write.type === 'create' || /^[1-9]\d*$/.test(write.revision)
