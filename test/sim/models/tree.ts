import type { Store } from '../../../src/store/index.ts'
import type { TaskTreeOptions } from '../../../src/tree/index.ts'
import type { Client, Model, Play, Scene } from '../model.ts'
import type { Process } from '../process.ts'
import { TreeClient } from './tree-client.ts'
import { TreeOracle } from './tree-oracle.ts'
import { checkSettled } from './tree-settled.ts'

/** Agents that share a tree of work, and somebody who looks after it; some come over HTTP. */
export const tree: Model = {
  name: 'tree',
  clientsMax: 8,
  stepsMax: 40,
  steps: {
    create: 8,
    subtask: 14,
    claim: 8,
    claimAny: 5,
    reclaim: 2,
    release: 4,
    complete: 6,
    finish: 6,
    sow: 6,
    block: 3,
    unblock: 3,
    approve: 4,
    reject: 2,
    setStatus: 7,
    edit: 5,
    retag: 4,
    reparent: 9,
    restore: 8,
    delete: 6,
    bulk: 3,
    get: 3,
    ready: 6,
    list: 3,
    subtree: 2,
    history: 2,
    maintain: 9,
    repair: 1,
    follow: 2,
    hold: 5,
  },
  open: (scene) => new TreePlay(scene),
}

const dayMs = 86_400_000
const secondMs = 1_000

class TreePlay implements Play {
  readonly #scene: Scene
  readonly #oracle: TreeOracle
  readonly #options: Required<Pick<TaskTreeOptions, 'retentionDays' | 'softDeleteDays'>> & {
    readonly claimTimeoutMs: number
  }
  readonly #known: string[] = []
  readonly #isRemote: readonly boolean[]
  #marks = 0
  #lives = 0

  constructor(scene: Scene) {
    const { random } = scene
    this.#scene = scene
    const claimTimeoutMs = random.pick([10, 60, 1_800]) * secondMs
    this.#options = {
      claimTimeoutMs,
      retentionDays: (random.pick([0.5, 3, 60]) * secondMs) / dayMs,
      softDeleteDays: (random.pick([5, 60, 1_000]) * secondMs) / dayMs,
    }
    this.#isRemote = Array.from({ length: tree.clientsMax }, () => random.chance(0.3))
    this.#oracle = new TreeOracle(scene, claimTimeoutMs)
  }

  applied: Play['applied'] = (writes) => this.#oracle.applied(writes)

  open(process: Process, store: Store, index: number): Client {
    return new TreeClient({
      store,
      options: this.#options,
      // Each life by itself: what a former one has under way may still arrive.
      agent: `agent-${index}-${++this.#lives}`,
      isRemote: this.#isRemote[index] ?? false,
      process,
      scene: this.#scene,
      oracle: this.#oracle,
      known: this.#known,
      newMark: () => `m${++this.#marks}x`,
    })
  }

  settled: Play['settled'] = (observer) =>
    checkSettled({ observer, oracle: this.#oracle, options: this.#options })
}
