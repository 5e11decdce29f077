import type { Scene } from '../model.ts'
import type { Stored } from './jobs-oracle.ts'

/** The task, its key, and two indexes. */
const writesPerTask = 4
const prefix = 'tasks/idem/'

export const isOpen = ({ status }: Stored): boolean => status === 'pending' || status === 'claimed'

/** That a key stands for one live task. */
export class JobsKeys {
  readonly #scene: Scene
  readonly #tasks: ReadonlyMap<string, Stored>
  readonly #entries = new Map<string, string | null>()
  /** Tasks that a stalled submitter, or a request that came late, has brought beside the one that has their key. */
  readonly #intruders = new Set<string>()

  constructor(scene: Scene, tasks: ReadonlyMap<string, Stored>) {
    this.#scene = scene
    this.#tasks = tasks
  }

  applied(key: string, value: Uint8Array | null): void {
    if (key.startsWith(prefix))
      this.#entries.set(
        key.slice(prefix.length),
        value === null ? null : new TextDecoder().decode(value),
      )
  }

  /** Whether its submitter may take it back: it has looked again, and the key is another's, or nobody's. */
  isTakenBack({ id, idempotencyKey }: Stored): boolean {
    return this.isInSteps && idempotencyKey !== null && this.#entries.get(idempotencyKey) !== id
  }

  /** Its key was free by then, and may be given to another. */
  rose({ id }: Stored): void {
    this.#intruders.add(id)
  }

  /** Whether key and task are written one after the other. */
  get isInSteps(): boolean {
    return this.#scene.kind.limits.commitWritesMax < writesPerTask
  }

  /**
   * One that has ended and has lost its key entry is on its way out. Where key and task are written one after the other,
   * a submitter that stalled may bring a second one, until it has looked again; but no retry may.
   */
  check(task: Stored, by: 'submission' | 'retry'): void {
    const ownerOf = ({ idempotencyKey }: Stored) => this.#entries.get(idempotencyKey as string)
    const isLive = (other: Stored) => isOpen(other) || ownerOf(other) === other.id
    for (const other of this.#tasks.values()) {
      if (other.idempotencyKey !== task.idempotencyKey || other.id === task.id) continue
      if (!isLive(other) || this.#intruders.has(other.id)) continue
      if (this.#intruders.has(task.id)) continue
      if (this.isInSteps && by === 'submission' && ownerOf(task) !== task.id)
        this.#intruders.add(task.id)
      else
        this.#scene.violated(`${other.id} and ${task.id} both have the key ${task.idempotencyKey}`)
    }
  }
}
