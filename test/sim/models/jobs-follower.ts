import type { TaskManager } from '../../../src/jobs/index.ts'
import type { Scene } from '../model.ts'
import type { Process } from '../process.ts'
import type { JobsReading } from './jobs-reading.ts'

interface Tools {
  readonly manager: TaskManager
  readonly process: Process
  readonly scene: Scene
  readonly reading: JobsReading
}

const patienceMs = 120_000
/** What happened while a process was paused, it hears some time after it goes on. */
const wakeMs = 20_000

/** What a program does in the background: it waits for tasks, and follows changes. */
export class JobsFollower {
  readonly #tools: Tools
  readonly #waits = new Map<string, Promise<void>>()
  /** When it last heard of a task; null stands for all. */
  readonly #heard = new Map<string | null, number>()
  #following: { readonly sinceMs: number; readonly end: Promise<void> } | null = null

  constructor(tools: Tools) {
    this.#tools = tools
  }

  wait(id: string): void {
    const { manager, scene, reading } = this.#tools
    if (this.#waits.has(id)) return
    const sinceMs = scene.world.nowMs
    const waiting = manager.wait(id).then(
      (task) => reading.waited(task, sinceMs),
      () => {},
    )
    this.#waits.set(
      id,
      waiting.then(() => void this.#waits.delete(id)),
    )
  }

  follow(): void {
    const { manager, scene } = this.#tools
    if (this.#following !== null) return
    const read = async () => {
      for await (const event of manager.changes())
        this.#heard.set(event.type === 'resync' ? null : event.id, scene.world.nowMs)
    }
    this.#following = { sinceMs: scene.world.nowMs, end: read() }
  }

  /** Nothing goes wrong any more: all that is late arrives. */
  async quiet(): Promise<void> {
    const { process, scene, reading } = this.#tools
    if (this.#waits.size === 0 && this.#following === null) return
    const pause = (ms: number) => new Promise<void>((resolve) => void process.after(ms, resolve))
    await pause(patienceMs)
    while (scene.world.nowMs - process.pausedUntil < wakeMs) await pause(wakeMs)
    for (const id of this.#waits.keys())
      if (reading.isEnded(id)) scene.violated(`somebody still waits for ${id}, which has ended`)
    if (this.#following) reading.followed(this.#heard, this.#following.sinceMs)
  }

  /** Once the manager is closed, both end. */
  async ended(): Promise<void> {
    await Promise.all([...this.#waits.values(), this.#following?.end])
  }
}
