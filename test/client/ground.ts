import { type Client, type ClientOptions, holdfastClient } from '../../src/client/index.ts'
import type { HoldfastOptions, Serving } from '../../src/http/index.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { servedAll } from '../http/holdfast/served.ts'
import { Relay } from './relay.ts'

/** A server on a store in memory, and a client that reaches it through a relay. */
export class Ground implements AsyncDisposable {
  readonly store: Store
  readonly serving: Serving
  readonly relay: Relay
  readonly client: Client

  private constructor(parts: { store: Store; serving: Serving; relay: Relay; client: Client }) {
    this.store = parts.store
    this.serving = parts.serving
    this.relay = parts.relay
    this.client = parts.client
  }

  static async open(
    options: Partial<ClientOptions> = {},
    served: Partial<HoldfastOptions> = {},
  ): Promise<Ground> {
    const store = await openStore('memory:')
    const serving = await servedAll(store, served)
    const relay = await Relay.to(serving.url)
    const client = holdfastClient({ url: relay.url, ...options })
    return new Ground({ store, serving, relay, client })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.relay[Symbol.asyncDispose]()
    await this.serving[Symbol.asyncDispose]()
    await this.store[Symbol.asyncDispose]()
  }
}
