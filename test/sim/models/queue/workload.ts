import { LeaseWatch } from '../../../../src/queue/worker/lease-watch.ts'
import type { Store } from '../../../../src/store/index.ts'
import type { Client, Model, Play, Scene } from '../../model.ts'
import type { Process } from '../../process.ts'
import { provideThread } from '../../thread.ts'
import { QueueClient, type Shared } from './client.ts'
import type { Tools } from './handlers.ts'
import { QueueOracle } from './oracle.ts'
import { checkSettled } from './settled.ts'

/** Programs that submit, steer and watch tasks, and workers that run them, block, fail, are stopped, and are killed. */
export const queue: Model = {
  name: 'queue',
  clientsMax: 4,
  stepsMax: 26,
  // What is done in a minute depends on which one it is.
  epochMs: Date.UTC(2026, 0, 1),
  steps: {
    submit: 14,
    submitKey: 10,
    submitLater: 5,
    submitOwn: 5,
    submitMany: 5,
    hire: 20,
    dismiss: 5,
    monitor: 3,
    check: 5,
    cancel: 7,
    replay: 6,
    archive: 4,
    unarchive: 3,
    extend: 3,
    get: 2,
    history: 3,
    list: 4,
    stats: 1,
    workers: 2,
    wait: 2,
    hold: 8,
  },
  open: (scene) => new QueuePlay(scene),
}

class QueuePlay implements Play {
  readonly #tools: Tools
  readonly #shared: Shared

  constructor(scene: Scene) {
    this.#tools = { scene, oracle: new QueueOracle(scene) }
    let [marks, names] = [0, 0]
    this.#shared = {
      known: [],
      ownIds: Array.from({ length: 3 }, () => crypto.randomUUID()),
      newMark: () => `mark-${++marks}`,
      newName: () => `worker-${++names}`,
    }
    provideThread('lease-thread.js', (port, _data, thread) =>
      new LeaseWatch(port, scene.connect(thread)).start(),
    )
  }

  applied: Play['applied'] = (writes) => this.#tools.oracle.applied(writes)

  open(process: Process, store: Store): Client {
    return new QueueClient(this.#tools, process, store, this.#shared)
  }

  settled: Play['settled'] = (observer) => checkSettled(this.#tools, observer)
}
