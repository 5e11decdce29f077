import { randomUUID } from 'node:crypto'
import { afterPart } from '../collection/index.ts'
import { compete, lost, StoreError } from '../store/internal.ts'
import type { Clock } from './clock.ts'
import { TaskError } from './error.ts'
import type { Repository } from './repository.ts'
import { apply, type Claimant } from './rules.ts'
import type { StoredTask } from './task.ts'

/** A claim that is older than this, or than this share of its time, is stamped again before anybody gets it. */
const handoutMsMax = 1_000
const handoutsPerTtl = 4
const stampsPerClaimMax = 5

type ClaimRule = (task: StoredTask) => Promise<StoredTask>

/**
 * Gives tasks to workers. The time of a claim is read in every attempt at its write. A store may still take long
 * with that write, as when another process holds the lock of a file; then the claim is stamped again, so that
 * nobody gets one whose time is over.
 */
export class Claims {
  readonly #tasks: Repository
  readonly #clock: Clock
  readonly #ttlMs: number | null
  readonly #handouts = new Handouts()

  constructor(tasks: Repository, { clock, ttlMs }: { clock: Clock; ttlMs: number | null }) {
    this.#tasks = tasks
    this.#clock = clock
    this.#ttlMs = ttlMs
  }

  /** Claims a task, unless `check` refuses by throwing. */
  async claim(
    id: string,
    workerId: string,
    check: (task: StoredTask) => void,
  ): Promise<StoredTask> {
    const token = randomUUID()
    const rule = this.#rule(workerId, token)
    const task = await this.#tasks.change(id, (before) => {
      check(before)
      return rule(before)
    })
    const restamp = (before: StoredTask) => {
      // If it was taken away meanwhile, this would be another claim, which the caller may not want.
      if (before.claimToken !== token) check(before)
      return rule(before)
    }
    try {
      return await this.#handOut(task, token, restamp)
    } catch (error) {
      if (!(error instanceof TaskError)) throw error
      const what = `Task ${id} was claimed, and taken away before the store had said so.`
      throw new StoreError('lost_answer', what, 'Look at it again, then decide.', error)
    }
  }

  /** Claims the oldest pending task; null where there is none. */
  async claimNext(workerId: string, signal?: AbortSignal): Promise<StoredTask | null> {
    /** What was claimed for this worker, and did not get there. */
    let missed: string | null = null
    const attempt = async () => {
      const token = randomUUID()
      const rule = this.#rule(workerId, token)
      const task = await this.#tasks.claimNext(rule, signal)
      if (task === null) return null
      try {
        return await this.#handOut(task, token, rule)
      } catch (error) {
        // It came so late that it was taken away before it could be stamped again.
        if (!(error instanceof TaskError)) throw error
        missed = task.id
        return lost
      }
    }
    try {
      return await compete('the pending tasks', attempt, { signal })
    } catch (error) {
      if (missed === null) throw error
      return afterPart(`Task ${missed} was claimed, and taken away`, () => Promise.reject(error))
    }
  }

  /** The claim that a worker means: by worker and attempt, it is the one that it was given here. */
  meant(id: string, claimant: Claimant): Claimant {
    if (claimant.claimToken !== undefined) return claimant
    return { ...claimant, claimToken: this.#handouts.tokenOf(id, claimant) }
  }

  /** A worker has said what came of its claim. */
  ended(id: string, claimant: Claimant): void {
    this.#handouts.end(id, claimant)
  }

  #rule(workerId: string, token: string): ClaimRule {
    return async (task) => apply('claim', task, { workerId, token, now: await this.#clock.now() })
  }

  async #handOut(claimed: StoredTask, token: string, rule: ClaimRule): Promise<StoredTask> {
    let task = claimed
    const ttlMs = this.#ttlMs ?? Number.POSITIVE_INFINITY
    const freshMs = Math.min(handoutMsMax, ttlMs / handoutsPerTtl)
    // Where claims last for ever here, one more stamp is enough for those who take them away.
    const stampsMax = this.#ttlMs === null ? 1 : stampsPerClaimMax
    // What the worker has had before is left as it is.
    for (let stamps = 0; task.claimToken === token; stamps++) {
      const ageMs = await this.#ageMs(task)
      if (ageMs <= freshMs || (stamps >= stampsMax && ageMs < ttlMs)) break
      if (stamps >= stampsMax) throw tooSlow(task.id, ttlMs)
      try {
        task = await this.#tasks.change(task.id, rule)
      } catch (error) {
        // It is claimed all the same, if the failure did not take longer than the claim had left.
        if (error instanceof StoreError && (await this.#ageMs(task)) < ttlMs) break
        throw await afterPart(`Task ${task.id} was claimed`, () => Promise.reject(error))
      }
    }
    this.#handouts.note(task)
    return task
  }

  async #ageMs({ id, claimedAt }: StoredTask): Promise<number> {
    const age = async () => Date.parse(await this.#clock.now()) - Date.parse(claimedAt ?? '')
    return this.#ttlMs === null ? age().catch(() => 0) : afterPart(`Task ${id} was claimed`, age)
  }
}

const tooSlow = (id: string, ttlMs: number): StoreError =>
  new StoreError(
    'lost_answer',
    `Task ${id} was claimed, but the store takes longer to say so than a claim may last (${ttlMs} ms).`,
    'Raise claimTtlMs; the claim expires.',
  )

/** How many claims are remembered that nobody has ended yet, and how many that have been. */
const handoutsMax = 10_000

/** What no claim has as its token. */
const several = ''

/**
 * The tokens of the claims that were handed out here. Worker and attempt are the same again when an id is deleted
 * and reused: an earlier holder that names nothing else is known by what it was given then. Where the same
 * manager has given both claims and neither has ended, these two don't tell who asks, so only a token does.
 */
class Handouts {
  readonly #tokens = new Map<string, string>()
  readonly #ended = new Map<string, string>()

  note({ id, claimedBy, attempts, claimToken }: StoredTask): void {
    const name = nameOf(id, { workerId: claimedBy ?? '', attempt: attempts })
    if (name === null || claimToken === undefined) return
    const known = this.#tokens.get(name) ?? claimToken
    this.#ended.delete(name)
    keep(this.#tokens, name, known === claimToken ? claimToken : several)
  }

  tokenOf(id: string, claimant: Claimant): string | undefined {
    const name = nameOf(id, claimant)
    return name === null ? undefined : (this.#tokens.get(name) ?? this.#ended.get(name))
  }

  end(id: string, claimant: Claimant): void {
    const name = nameOf(id, claimant)
    const token = name === null ? undefined : this.#tokens.get(name)
    if (name === null || token === undefined) return
    this.#tokens.delete(name)
    keep(this.#ended, name, token)
  }
}

/** Puts it last, and drops the first where there are too many. */
function keep(tokens: Map<string, string>, name: string, token: string): void {
  tokens.delete(name)
  tokens.set(name, token)
  const [oldest] = tokens.keys()
  if (tokens.size > handoutsMax) tokens.delete(oldest as string)
}

const nameOf = (id: string, { workerId, attempt }: Claimant): string | null =>
  workerId === undefined || attempt === undefined ? null : JSON.stringify([id, workerId, attempt])
