import type { CommitResult, Entry, Head, Store, Write } from '../../src/store/index.ts'
import type { Call, Note, Outcome, RecordedWrite, Seen } from './history.ts'

/** Microseconds of the clock that all processes of a machine share; a call is never noted late, nor a return early. */
export const microsecondsBefore = (): number => Number(process.hrtime.bigint() / 1000n)
const microsecondsAfter = (): number => microsecondsBefore() + 1

const decoder = new TextDecoder()
const encoder = new TextEncoder()

let ids = 0

/** Calls a store, and notes each call before it begins and each outcome when it is known. */
export class Recorder {
  readonly #store: Store
  readonly #client: string
  readonly #write: (note: Note) => void

  constructor(store: Store, client: string, write: (note: Note) => void) {
    this.#store = store
    this.#client = client
    this.#write = write
  }

  /** Undefined where the store could not tell. */
  async get(key: string, at = microsecondsBefore()): Promise<Seen | null | undefined> {
    const read = async (): Promise<Outcome> => {
      const entry = await this.#store.get(key)
      return { type: 'got', seen: entry && seenOf(entry) }
    }
    const outcome = await this.#noted({ type: 'get', key }, read, at)
    return outcome?.type === 'got' ? outcome.seen : undefined
  }

  /**
   * Gets that are asked for in one go begin at one moment: SQLite answers them from one read transaction, which
   * another process's commit between two of them does not change.
   */
  getAll(keys: readonly string[]): Promise<(Seen | null | undefined)[]> {
    const at = microsecondsBefore()
    return Promise.all(keys.map((key) => this.get(key, at)))
  }

  async list(
    prefix: string,
    keys: readonly string[],
    withValues: boolean,
  ): Promise<readonly Seen[] | undefined> {
    const outcome = await this.#noted({ type: 'list', prefix, keys }, async () => {
      const seen: Seen[] = []
      if (withValues) for await (const entry of this.#store.scan(prefix)) seen.push(seenOf(entry))
      else
        for await (const { key, revision } of this.#store.list(prefix)) seen.push({ key, revision })
      return { type: 'listed', seen }
    })
    return outcome?.type === 'listed' ? outcome.seen : undefined
  }

  /** The new revisions, null for a conflict, undefined where the outcome is unknown or nothing happened. */
  async commit(
    writes: readonly RecordedWrite[],
  ): Promise<readonly (string | null)[] | null | undefined> {
    const outcome = await this.#noted({ type: 'commit', writes }, async () => {
      const result: CommitResult = await this.#store.commit(writes.map(writeOf))
      return result.ok ? { type: 'committed', revisions: result.revisions } : { type: 'conflict' }
    })
    if (outcome?.type === 'conflict') return null
    return outcome?.type === 'committed' ? outcome.revisions : undefined
  }

  /** A failure other than the two that say what to do next is none that these calls can earn. */
  async #noted(
    call: Call,
    run: () => Promise<Outcome>,
    at = microsecondsBefore(),
  ): Promise<Outcome | undefined> {
    const id = `${process.pid}.${++ids}`
    this.#write({ id, client: this.#client, at, call })
    try {
      const outcome = await run()
      this.#write({ id, at: microsecondsAfter(), outcome })
      return outcome
    } catch (error) {
      const code = (error as { code?: unknown }).code
      if (code !== 'unavailable' && code !== 'unknown_outcome') throw error
      const outcome = code === 'unavailable' ? 'nothing' : 'unknown'
      this.#write({ id, at: microsecondsAfter(), outcome })
      return undefined
    }
  }
}

const seenOf = ({ key, revision, value }: Entry): Seen => ({
  key,
  revision,
  value: decoder.decode(value),
})

function writeOf({ key, expected, value }: RecordedWrite): Write {
  const head: Head = { key, revision: expected ?? '' }
  if (value === null) return { type: 'remove', ...head }
  return expected === null
    ? { type: 'create', key, value: encoder.encode(value) }
    : { type: 'update', ...head, value: encoder.encode(value) }
}
