import { guarded, type Store } from '../../src/store/index.ts'
import { type Costs, Driver, noCosts } from './driver.ts'
import type { Network } from './network.ts'
import type { Process } from './process.ts'

/** The store as one process has it open; counts what it costs. */
export class SimStore implements AsyncDisposable {
  readonly store: Store
  readonly costs: Costs = noCosts()
  readonly #driver: Driver

  constructor(network: Network, process: Process) {
    this.#driver = new Driver(network, process, this.costs)
    this.store = guarded(this.#driver)
  }

  /** What is still open: each is a leak once everything was told to stop. */
  get watchCount(): number {
    return this.#driver.watchCount
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.store[Symbol.asyncDispose]())
  }
}
