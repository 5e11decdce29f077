import { ulid } from 'ulid'
import { directoryHash } from '../../../src/plan/directory.ts'
import { Plans } from '../../../src/plan/index.ts'
import type { Store, Write } from '../../../src/store/index.ts'
import type { Client, Model, Play, Scene } from '../model.ts'
import type { Process } from '../process.ts'
import { beganMs, PlanClient } from './plan-client.ts'
import { longSession } from './plan-given.ts'
import { idFor } from './plan-log.ts'
import { PlanOracle } from './plan-oracle.ts'
import { checkSettled } from './plan-settled.ts'

/** Agents that share directories: they start and archive sessions, and change and follow each other's plans. */
export const plan: Model = {
  name: 'plan',
  clientsMax: 5,
  stepsMax: 34,
  steps: {
    start: 10,
    archive: 4,
    setGoal: 7,
    updateGoal: 6,
    addTasks: 18,
    updateTasks: 22,
    plan: 6,
    tasks: 4,
    events: 4,
    resume: 4,
    list: 2,
    repair: 4,
    follow: 2,
    hold: 2,
  },
  open: (scene) => new PlanPlay(scene),
}

const longShare = 0.02

class PlanPlay implements Play {
  readonly given: readonly Write[] = []
  readonly #scene: Scene
  readonly #oracle: PlanOracle
  readonly #known: string[] = []
  #calls = 0

  constructor(scene: Scene) {
    this.#scene = scene
    this.#oracle = new PlanOracle(scene)
    if (!scene.random.chance(longShare)) return
    const [sid, path] = [ulid(beganMs - 60_000, () => 0.5), '/sim/a']
    const at = new Date(beganMs - 60_000).toISOString()
    const session = { sid, path, hash: directoryHash(path), at }
    this.#known.push(sid)
    this.given = longSession(scene.random, session, (title) => idFor(title, sid))
  }

  applied: Play['applied'] = (writes) => this.#oracle.documents.applied(writes)

  open(process: Process, store: Store): Client {
    return new PlanClient({
      store,
      process,
      scene: this.#scene,
      oracle: this.#oracle,
      known: this.#known,
      newCall: () => ++this.#calls,
    })
  }

  settled: Play['settled'] = async (observer) => {
    const { world, violated } = this.#scene
    const now = () => beganMs + observer.process.wallMs() - world.epochMs
    const plans = new Plans(observer.store, { now })
    this.#oracle.checkKept()
    await checkSettled({ observer, plans, documents: this.#oracle.documents, violated })
    this.#oracle.checkKept()
  }
}
