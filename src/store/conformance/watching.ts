import assert from 'node:assert/strict'
import { create, remove, type Store, update, type WatchEvent, watchPendingMax } from '../store.ts'
import { bytes, type Case, inBatches, put, putText } from './case.ts'

/** Longer than any store takes to tell; a watch that stays silent for so long has missed it. */
const patienceMs = 60_000

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

  /** The keys named up to this one; null where a resync comes first, after which nothing needs to be named. */
  async namedUntil(key: string): Promise<string[] | null> {
    const named: string[] = []
    for (;;) {
      const event = await this.next()
      if (event === 'ended') assert.fail('the watch ended')
      if (event.type === 'resync') return null
      named.push(event.key)
      if (event.key === key) return named
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

/**
 * A store may say `resync` once more at any time, as when the first write makes a bucket. But a watch that
 * says it for every single change makes its readers read everything: one of so many must be told by name.
 */
const roundsMax = 5

async function firstNamed(
  watched: Watched,
  change: (round: number) => Promise<string>,
): Promise<readonly string[]> {
  for (let round = 1; round <= roundsMax; round++) {
    const named = await watched.namedUntil(await change(round))
    if (named !== null) return named
  }
  assert.fail(`${roundsMax} single changes, and each was told as resync: a watch names keys`)
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
    name: 'a single change is told by the name of its key, to the writer and to other openers',
    async run(store, ground) {
      await using other = await ground.open()
      for (const [index, reader] of [store, other].entries()) {
        await using watched = new Watched(reader, 'ns')
        await watched.expectResync()
        await putText(store, `ns/first-${index}`)
        await watched.expectKey(`ns/first-${index}`)
        let [head] = await putText(store, `ns/a-${index}`)
        await watched.expectKey(head!.key)
        const named = await firstNamed(watched, async (round) => {
          ;[head] = await put(store, update(head!, bytes(String(round))))
          return head!.key
        })
        assert.equal(named.at(-1), head!.key)
      }
    },
  },
  {
    name: 'only keys below the prefix are told',
    async run(store) {
      await using watched = new Watched(store, 'ns/a')
      await watched.expectResync()
      await putText(store, 'ns/a')
      const named = await firstNamed(watched, async (round) => {
        await putText(store, `ns/ab/${round}`, `ns/b/${round}`, `ns/${round}`, `os/a/${round}`)
        await putText(store, `ns/a/${round}`)
        return `ns/a/${round}`
      })
      assert.deepEqual(
        named.filter((key) => !key.startsWith('ns/a/')),
        [],
      )
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
      const keys = Array.from({ length: watchPendingMax + 10 }, (_, index) => `ns/${index}`)
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
    name: 'aborting ends a watch whose reader is elsewhere: its next step is the end',
    async run(store) {
      const unread = new Watched(store, 'ns')
      unread.abort()
      assert.equal(await unread.next(), 'ended')
      await using watched = new Watched(store, 'ns')
      await watched.expectResync()
      await putText(store, 'ns/pending')
      watched.abort()
      assert.equal(await watched.next(), 'ended')
      assert.equal(await watched.next(), 'ended')
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
