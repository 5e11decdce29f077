import assert from 'node:assert/strict'
import { create, remove, type Store, update, type WatchEvent, watchPendingMax } from '../store.ts'
import { bytes, type Case, inBatches, put, putText } from './case.ts'

/** Longer than any store takes to tell; a watch that stays silent for so long has missed it. */
const patienceMs = 15_000

/** A watch read one event at a time, which fails rather than hangs. */
class Watched implements AsyncDisposable {
  readonly #abort = new AbortController()
  readonly #events: AsyncIterator<WatchEvent>

  constructor(store: Store, prefix: string) {
    this.#events = store.watch(prefix, this.#abort.signal)[Symbol.asyncIterator]()
  }

  async next(): Promise<WatchEvent | 'ended'> {
    let timer: NodeJS.Timeout | undefined
    const silence = new Promise<never>((_, reject) => {
      const error = new Error(`the watch said nothing for ${patienceMs} ms`)
      timer = setTimeout(() => reject(error), patienceMs)
    })
    try {
      const { done, value } = await Promise.race([this.#events.next(), silence])
      return done ? 'ended' : value
    } finally {
      clearTimeout(timer)
    }
  }

  async expectResync(): Promise<void> {
    assert.deepEqual(await this.next(), { type: 'resync' })
  }

  /** Reads until the key is named; a resync names every key. */
  async expectKey(key: string): Promise<void> {
    for (;;) {
      const event = await this.next()
      assert.notEqual(event, 'ended')
      if (event !== 'ended' && (event.type === 'resync' || event.key === key)) return
    }
  }

  abort(): void {
    this.#abort.abort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.abort()
    await this.#events.return?.()
  }
}

export const watchCases: readonly Case[] = [
  {
    name: 'a watch starts with resync, also where nothing is stored',
    async run(store) {
      await using watched = new Watched(store, 'ns')
      await watched.expectResync()
    },
  },
  {
    name: 'creation, update and removal are told, to the writer and to other openers',
    async run(store, ground) {
      await using other = await ground.open()
      await using own = new Watched(store, 'ns')
      await using others = new Watched(other, '')
      const both = [own, others]
      await Promise.all(both.map((watched) => watched.expectResync()))
      const told = () => Promise.all(both.map((watched) => watched.expectKey('ns/a')))
      const [created] = await put(store, create('ns/a', bytes('1')))
      await told()
      const [updated] = await put(store, update(created!, bytes('2')))
      await told()
      await put(store, remove(updated!))
      await told()
    },
  },
  {
    name: 'only keys below the prefix are told',
    async run(store) {
      await using watched = new Watched(store, 'ns/a')
      await watched.expectResync()
      await putText(store, 'ns/a', 'ns/ab', 'ns/b/c', 'os/a/1')
      await putText(store, 'ns/a/1')
      const event = await watched.next()
      if (event === 'ended' || event.type === 'key')
        assert.deepEqual(event, { type: 'key', key: 'ns/a/1' })
    },
  },
  {
    name: 'what was written before the first resync needs not be told, what comes after is',
    async run(store) {
      await putText(store, 'ns/before')
      await using watched = new Watched(store, 'ns')
      await watched.expectResync()
      await putText(store, 'ns/after')
      await watched.expectKey('ns/after')
    },
  },
  {
    name: 'a gap gives resync: a reader too far behind is told to read everything',
    async run(store) {
      await using watched = new Watched(store, 'ns')
      await watched.expectResync()
      const keys = Array.from({ length: watchPendingMax + 100 }, (_, index) => `ns/${index}`)
      await inBatches(
        store,
        keys.map((key) => create(key, bytes('1'))),
      )
      const seen = new Set<string>()
      for (;;) {
        const event = await watched.next()
        if (event === 'ended') assert.fail('the watch ended')
        if (event.type === 'resync') return
        seen.add(event.key)
        if (seen.size === keys.length) return
      }
    },
  },
  {
    name: 'aborting ends a watch quietly, before and after its first event',
    async run(store) {
      await using watched = new Watched(store, 'ns')
      await watched.expectResync()
      const next = watched.next()
      watched.abort()
      assert.equal(await next, 'ended')
      for await (const _ of store.watch('ns', AbortSignal.abort())) assert.fail('it was aborted')
    },
  },
  {
    name: 'disposing of the store ends its watches quietly',
    async run(_store, ground) {
      const store = await ground.open()
      const watched = new Watched(store, 'ns')
      await watched.expectResync()
      const next = watched.next()
      await store[Symbol.asyncDispose]()
      assert.equal(await next, 'ended')
    },
  },
]
