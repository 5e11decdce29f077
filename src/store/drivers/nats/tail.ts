import { type Consumer, type ConsumerMessages, DeliverPolicy } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import type { Feed } from '../../feed.ts'
import { namespaceOf } from '../../key.ts'
import { isAbsence } from './bucket.ts'
import type { Connection } from './connection.ts'
import { keyOf, streamOf, subjectsBelow } from './subject.ts'

/** How often to look for buckets that were made since. */
const discoverMs = 500

/** How long the server keeps a consumer whose watch has died without a word. */
const inactiveMs = 30_000

/** How soon a consumer that says nothing is taken for lost. */
const consumption = { expires: 5000, idle_heartbeat: 1000 } as const

/** One watch: follows the buckets it concerns, and tells the feed which keys were written. */
export class Tail {
  readonly #connection: Connection
  readonly #feed: Feed
  readonly #prefix: string
  readonly #namespaces: () => Promise<readonly string[]>
  /** By namespace; null while it is being found out whether there is a bucket. */
  readonly #followed = new Map<string, Followed | null>()
  #timer: NodeJS.Timeout | undefined
  #forgetReconnect: (() => void) | undefined
  #isStopped = false

  constructor(
    connection: Connection,
    feed: Feed,
    prefix: string,
    namespaces: () => Promise<readonly string[]>,
  ) {
    this.#connection = connection
    this.#feed = feed
    this.#prefix = prefix
    this.#namespaces = prefix === '' ? namespaces : async () => [namespaceOf(prefix)]
  }

  /** From here on nothing is missed in the buckets that exist. */
  async start(): Promise<void> {
    await this.#discover()
    // While the connection was away anything may have happened.
    this.#forgetReconnect = this.#connection.onReconnect(() => this.#feed.resync())
    this.#schedule()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#forgetReconnect?.()
    await Promise.allSettled([...this.#followed.values()].map(end))
  }

  #schedule(): void {
    // Nothing to look for once the one bucket that matters is followed.
    if (this.#isStopped || (this.#prefix !== '' && this.#followed.size > 0)) return
    this.#timer = setTimeout(() => void this.#discoverAgain(), discoverMs)
  }

  async #discoverAgain(): Promise<void> {
    try {
      // A bucket that is new may have been written to before we came.
      if (await this.#discover()) this.#feed.resync()
    } catch {
      // Not now; the next look comes soon.
    }
    this.#schedule()
  }

  /** Follows the buckets that are there; says whether one is new. */
  async #discover(): Promise<boolean> {
    let hasNew = false
    for (const namespace of await this.#namespaces())
      if (!this.#followed.has(namespace) && !this.#isStopped)
        hasNew = (await this.#follow(namespace)) || hasNew
    return hasNew
  }

  async #follow(namespace: string): Promise<boolean> {
    this.#followed.set(namespace, null)
    try {
      const consumer = await this.#connection.ask(() => this.#consumer(namespace))
      const messages = await consumer.consume({
        ...consumption,
        callback: ({ subject }) => this.#feed.publish([keyOf(subject)]),
      })
      const followed = { consumer, messages }
      this.#followed.set(namespace, followed)
      void this.#followStatus(messages)
      // It may have been stopped while we waited.
      if (this.#isStopped) await end(followed)
      return true
    } catch (error) {
      this.#followed.delete(namespace)
      if (isAbsence((error as Error).cause ?? error)) return false
      throw error
    }
  }

  #consumer(namespace: string): Promise<Consumer> {
    return this.#connection.jetstream.consumers.get(streamOf(namespace), {
      filter_subjects: subjectsBelow(this.#prefix === '' ? namespace : this.#prefix),
      deliver_policy: DeliverPolicy.New,
      headers_only: true,
      inactive_threshold: nanos(inactiveMs),
    })
  }

  /** A cluster may lose a consumer with its node; the client makes another one, and there may be a gap. */
  async #followStatus(messages: ConsumerMessages): Promise<void> {
    for await (const { type } of messages.status())
      if (type === 'ordered_consumer_recreated') this.#feed.resync()
  }
}

interface Followed {
  readonly consumer: Consumer
  readonly messages: ConsumerMessages
}

/** Nothing of it shall stay on the server. */
async function end(followed: Followed | null): Promise<void> {
  await followed?.messages.close()
  await followed?.consumer.delete().catch(() => false)
}
