import type { Task } from '../../src/queue/index.ts'
import { Repository } from '../../src/queue/repository.ts'
import type { Store } from '../../src/store/index.ts'

const leaseId = '11111111-1111-4111-8111-111111111111'

/** Claims and finishes by hand, as a worker would. */
export class Hand {
  readonly repository: Repository
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
    this.repository = new Repository(store, () => {})
  }

  async claim(id: string): Promise<Task> {
    // The estimate of a server's clock may go back by a second.
    const nowMs = (await this.#store.now()) + 2_000
    const command = { workerId: 'hand', leaseId, nowMs }
    return (await this.repository.change(id, ['claim', command])).after
  }

  async renew(id: string, untilMs: number): Promise<Task> {
    return (await this.repository.change(id, ['renew', { leaseId, untilMs }])).after
  }

  async complete(id: string, output: string): Promise<Task> {
    const command = { leaseId, nowMs: await this.#store.now(), output }
    return (await this.repository.change(id, ['complete', command])).after
  }

  async fail(id: string): Promise<Task> {
    const command = { leaseId, nowMs: await this.#store.now(), error: 'no', random: 0.5 }
    return (await this.repository.change(id, ['fail', { ...command, isPermanent: true }])).after
  }
}
