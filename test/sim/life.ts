import type { Store } from '../../src/store/index.ts'
import type { Client } from './model.ts'
import type { Network } from './network.ts'
import type { Process } from './process.ts'
import { SimStore } from './sim-store.ts'

/** A client in one life of its process, and all that it has open. */
export class Life {
  readonly process: Process
  client: Client | null = null
  /** How long after its death the next life begins, and what then happens. */
  restartMs = 0
  onEnd = () => {}
  readonly #stores: SimStore[] = []

  constructor(process: Process) {
    this.process = process
    void process.death.then(() => process.world.after(this.restartMs, null, () => this.onEnd()))
  }

  connect(network: Network, process = this.process): Store {
    const sim = new SimStore(network, process)
    // A thread closes its own, and must have ended before its process does.
    if (process === this.process) this.#stores.push(sim)
    return sim.store
  }

  /** Lets it come to rest, unless it dies meanwhile. */
  quiet(): Promise<void> {
    return this.#act(async () => this.client?.quiet?.())
  }

  /** Closes everything as a program does at its end, and says what it has left; nothing where it is killed meanwhile. */
  async end(): Promise<readonly string[]> {
    const { process } = this
    const left: string[] = []
    const close = async () => {
      await this.client?.close().catch((error: unknown) => left.push(`an error: ${error}`))
      for (const sim of this.#stores) await sim[Symbol.asyncDispose]()
    }
    await this.#act(close)
    if (process.isDead) return []
    await process.world.sleep(1)
    const watches = this.#stores.reduce((sum, { watchCount }) => sum + watchCount, 0)
    if (watches > 0) left.push(`${watches} watches`)
    if (process.timerCount > 0) left.push(`${process.timerCount} timers`)
    const threads = process.threads.filter(({ isDead }) => !isDead).length
    if (threads > 0) left.push(`${threads} threads`)
    return left
  }

  /** From an event of its own, so that all that follows is its own. */
  async #act(act: () => Promise<void>): Promise<void> {
    if (this.process.isDead) return
    const acted = new Promise<void>((resolve, reject) => {
      this.process.after(0, () => void act().then(resolve, reject))
    })
    await Promise.race([acted, this.process.death])
  }
}
