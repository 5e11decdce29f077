import { StoreError } from '../../error.ts'
import { NoAnswer } from './answer.ts'
import { type Bucket, etagOf } from './bucket.ts'
import type { Ask } from './client.ts'
import { Refusal, storeErrorOf } from './failure.ts'
import { ownFolder } from './names.ts'
import { newWriteId } from './write-id.ts'

/** Races show what a single request does not: some servers honour a condition only while nobody else writes. */
const roundsUsual = 20
const writers = 32

/** What a round of a race came to: what is wrong with it, or null. */
type Round = () => Promise<string | null>

export interface ProbeResult {
  /** Whether DELETE honours its condition, and a creation after it works. */
  readonly isDeletionSafe: boolean
  /** Why not. */
  readonly deletionFlaw: string | null
}

/**
 * Tries out, with objects of its own, what the driver rests on. A server that lets two writers win is refused: it
 * would lose data. One whose DELETE can't be trusted is not asked to delete.
 */
export async function probe(bucket: Bucket, rounds = roundsUsual): Promise<ProbeResult> {
  const trial = new Trial(bucket, rounds)
  try {
    const flaw =
      (await trial.repeat('creation if absent', () => trial.creation(trial.newName()))) ??
      (await trial.repeat('update if unchanged', () => trial.update()))
    if (flaw !== null) throw unsafeServer(bucket.client.place.shown, flaw)
    const deletionFlaw = await deletionFlawOf(trial)
    return { isDeletionSafe: deletionFlaw === null, deletionFlaw }
  } finally {
    await trial.cleanUp()
  }
}

async function deletionFlawOf(trial: Trial): Promise<string | null> {
  try {
    return (
      (await trial.staleDeletion()) ??
      (await trial.repeat('deletion if unchanged', () => trial.deletion())) ??
      (await trial.repeat('creation after deletion', () => trial.recreation()))
    )
  } catch (error) {
    // Not allowed, or not known to the server: then it is not asked for either.
    if (error instanceof StoreError && error.reason !== 'down') return error.message
    throw error
  }
}

const unsafeServer = (shown: string, flaw: string): StoreError =>
  new StoreError(
    'unsafe_server',
    `The server of ${shown} does not keep to conditions: ${flaw}. Several writers would lose each other's data.`,
    'Use a server that honours If-None-Match and If-Match under load; docs/stores/s3.md lists some.',
  )

interface Outcome {
  readonly isWon: boolean
  readonly isLost: boolean
  readonly etag: string
}

class Trial {
  readonly #bucket: Bucket
  readonly #rounds: number
  readonly #folder = `${ownFolder}.store/probe/${newWriteId()}/`
  readonly #made: { name: string; version: string | undefined }[] = []
  #names = 0

  constructor(bucket: Bucket, rounds: number) {
    this.#bucket = bucket
    this.#rounds = rounds
  }

  newName(): string {
    return `${this.#folder}${++this.#names}`
  }

  /** Up to the first flaw: a server that breaks its word once is not asked again. */
  async repeat(what: string, round: Round): Promise<string | null> {
    for (let count = 1; count <= this.#rounds; count++) {
      const flaw = await round()
      if (flaw !== null) return `${what} failed in round ${count} with ${writers} writers (${flaw})`
    }
    return null
  }

  async creation(name: string): Promise<string | null> {
    const outcomes = await this.#race(() => this.#put(name, { 'if-none-match': '*' }))
    return this.#flawOf(name, outcomes)
  }

  async update(): Promise<string | null> {
    const name = this.newName()
    const etag = await this.#mustPut(name)
    const outcomes = await this.#race(() => this.#put(name, { 'if-match': etag }))
    return this.#flawOf(name, outcomes)
  }

  /** A deletion from an old state, and one of nothing: both must be refused. */
  async staleDeletion(): Promise<string | null> {
    const name = this.newName()
    const old = await this.#mustPut(name)
    await this.#put(name, { 'if-match': old })
    if ((await this.#delete(name, { 'if-match': old })).isWon) return 'DELETE ignores its condition'
    const nothing = await this.#delete(this.newName(), { 'if-match': old })
    if (nothing.isWon) return 'DELETE on condition succeeds on nothing'
    return (await this.#isThere(name)) ? null : 'DELETE ignores its condition, and says otherwise'
  }

  async deletion(): Promise<string | null> {
    const name = this.newName()
    const condition = { 'if-match': await this.#mustPut(name) }
    const outcomes = await this.#race((index) =>
      index % 2 ? this.#delete(name, condition) : this.#put(name, condition),
    )
    const winners = outcomes.filter(({ isWon }) => isWon)
    return winners.length > 1 ? `${winners.length} of ${writers} won` : null
  }

  async recreation(): Promise<string | null> {
    const name = this.newName()
    await this.#mustPut(name)
    await this.#delete(name, {})
    return this.creation(name)
  }

  /** Also in a versioned bucket nothing shall stay of it; where that is not allowed, it does. */
  async cleanUp(): Promise<void> {
    const deletions = this.#made.map(({ name, version }) =>
      this.#send({
        kind: 'DELETE',
        name,
        ...(version === undefined ? {} : { query: { versionId: version } }),
      }).catch(() => {}),
    )
    await Promise.all(deletions)
  }

  async #flawOf(name: string, outcomes: readonly Outcome[]): Promise<string | null> {
    const winners = outcomes.filter(({ isWon }) => isWon)
    if (winners.length > 1) return `${winners.length} of ${writers} won`
    const there = await this.#bucket.get(name)
    // A server that is away is not one that breaks its word.
    if (there === null && outcomes.some(({ isLost }) => isLost)) throw this.#silent()
    if (there === null) return 'nothing was stored'
    const isHonest = winners.length === 0 || winners[0]!.etag === `"${there.etag}"`
    // Where an answer was lost, the one who won may not know it.
    return isHonest || outcomes.some(({ isLost }) => isLost) ? null : 'a loser was stored'
  }

  #race(run: (index: number) => Promise<Outcome>): Promise<Outcome[]> {
    return Promise.all(Array.from({ length: writers }, (_, index) => run(index)))
  }

  async #mustPut(name: string): Promise<string> {
    for (let attempt = 0; attempt < writers; attempt++) {
      const outcome = await this.#put(name, { 'if-none-match': '*' })
      const there = await this.#bucket.get(name)
      if (there) return `"${there.etag}"`
      if (outcome.isLost) throw this.#silent()
    }
    throw unsafeServer(this.#bucket.client.place.shown, 'creation if absent stored nothing')
  }

  #silent(): unknown {
    const { place } = this.#bucket.client
    return storeErrorOf(new NoAnswer(new Error('no answer to a trial write'), true), place)
  }

  #put(name: string, headers: Record<string, string>): Promise<Outcome> {
    return this.#send({ kind: 'PUT', name, headers, body: Buffer.from(newWriteId()) })
  }

  #delete(name: string, headers: Record<string, string>): Promise<Outcome> {
    return this.#send({ kind: 'DELETE', name, headers })
  }

  async #isThere(name: string): Promise<boolean> {
    return (await this.#bucket.get(name)) !== null
  }

  async #send(ask: Ask): Promise<Outcome> {
    const outcome = { isWon: false, isLost: false, etag: '' }
    const { client } = this.#bucket
    try {
      const answer = await this.#bucket.send(ask, client.deadline())
      const isWon = answer.status >= 200 && answer.status < 300
      if (isWon && !ask.query) this.#remember(ask.name, answer.headers['x-amz-version-id'])
      if (isWon) return { ...outcome, isWon, etag: `"${etagOf(answer)}"` }
      if ([404, 409, 412].includes(answer.status)) return outcome
      if (answer.status >= 500 && answer.status !== 501) return { ...outcome, isLost: true }
      throw storeErrorOf(new Refusal(answer), client.place)
    } catch (error) {
      if (error instanceof NoAnswer && error.isSent) return { ...outcome, isLost: true }
      throw storeErrorOf(error, client.place)
    }
  }

  #remember(name: string, version: string | string[] | undefined): void {
    this.#made.push({ name, version: typeof version === 'string' ? version : undefined })
  }
}
