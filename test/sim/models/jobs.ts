import { TaskManager, type TaskManagerOptions } from '../../../src/jobs/index.ts'
import type { Store } from '../../../src/store/index.ts'
import type { Client, Model, Play, Scene } from '../model.ts'
import type { Process } from '../process.ts'
import { JobsClient } from './jobs-client.ts'
import { JobsOracle } from './jobs-oracle.ts'

/** Programs that submit under keys, claim, finish, give up and delete; some do it with claims that are over. */
export const jobs: Model = {
  name: 'jobs',
  clientsMax: 6,
  stepsMax: 40,
  steps: {
    submit: 14,
    submitKey: 20,
    claimNext: 26,
    claim: 6,
    complete: 12,
    fail: 8,
    retry: 4,
    delete: 8,
    releaseStale: 3,
    get: 2,
    getByKey: 3,
    list: 2,
    hold: 3,
    life: 8,
    wait: 3,
    follow: 1,
  },
  open: (scene) => new JobsPlay(scene),
}

const keyNames = ['a', 'b', 'c']

class JobsPlay implements Play {
  readonly #scene: Scene
  readonly #oracle: JobsOracle
  readonly #options: TaskManagerOptions
  /** Ids that some client has heard of, to do something with. */
  readonly #known: string[] = []
  /** Some programs use many keys, some one. */
  readonly #keys: readonly string[]
  #marks = 0

  constructor(scene: Scene) {
    this.#scene = scene
    this.#keys = keyNames.slice(0, scene.random.int(1, keyNames.length))
    const ttlMs = scene.random.chance(0.7) ? scene.random.pick([2_000, 30_000]) : undefined
    this.#options = { claimTtlMs: ttlMs }
    this.#oracle = new JobsOracle(scene, ttlMs)
  }

  applied: Play['applied'] = (writes) => this.#oracle.applied(writes)

  open(process: Process, store: Store, index: number): Client {
    const manager = new TaskManager(store, this.#options)
    return new JobsClient({
      manager,
      worker: `worker-${index}`,
      process,
      scene: this.#scene,
      oracle: this.#oracle,
      known: this.#known,
      keys: this.#keys,
      newMark: () => `mark-${++this.#marks}`,
    })
  }

  settled: Play['settled'] = async (observer) => {
    const manager = new TaskManager(observer.store, {})
    await this.#oracle.settled(observer, manager)
    await manager.close()
  }
}
