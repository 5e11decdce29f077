import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import type { Ground } from '../../src/store/conformance/index.ts'
import { limited, type Store } from '../../src/store/index.ts'
import { startNats } from '../servers/nats.ts'
import { sharedMinio } from '../servers/shared.ts'
import { memoryGround, sqliteGround } from '../store/ground.ts'
import { natsGround } from '../store/nats/ground.ts'
import { s3Bucket, s3Ground } from '../store/s3/ground.ts'

/** Hands out empty stores, one after another. */
interface Supply extends AsyncDisposable {
  next(): Promise<Ground>
}

const supplied = (next: () => Promise<Ground>): Supply => ({
  next,
  [Symbol.asyncDispose]: async () => {},
})

/**
 * Every kind of store that a model must work on, and the one that has no transactions. Of S3 one server is enough:
 * that all keep the same contract is for the conformance suite to say.
 */
export const storeKinds: Readonly<Record<string, () => Promise<Supply>>> = {
  memory: async () => supplied(() => memoryGround()),
  'limited(memory, 1)': async () => supplied(() => memoryGround((store) => limited(store, 1))),
  sqlite: async () => supplied(sqliteGround),
  nats: async () => {
    // A server of its own, for models have namespaces of their own, and two files would share them.
    const server = await startNats({ oneProcessor: true })
    return {
      next: () => natsGround(server.url),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  },
  's3 (MinIO)': async () => {
    const bucket = s3Bucket(sharedMinio())
    return supplied(() => s3Ground(bucket))
  },
}

/** What the tests of a model get: an empty store for each, and more openers of the same data. */
interface ModelGround {
  readonly store: Store
  open(): Promise<Store>
}

interface ModelSuite {
  /** Fails unless the indexes are what the documents say; called after every test. */
  check(store: Store): Promise<void>
  /** The kinds of store, where not all. */
  readonly kinds?: readonly string[]
}

/** Runs the tests of a model on every kind of store, and checks the whole store after each. */
export function onEveryStore(
  name: string,
  { check, kinds = Object.keys(storeKinds) }: ModelSuite,
  define: (ground: ModelGround, kind: string) => void,
): void {
  for (const kind of kinds)
    describe(`${name} on ${kind}`, () => {
      let supply: Supply
      let current: Ground
      const opened: Store[] = []
      const open = async () => {
        const store = await current.open()
        opened.push(store)
        return store
      }
      beforeAll(async () => {
        supply = await (storeKinds[kind] as () => Promise<Supply>)()
      })
      afterAll(() => supply[Symbol.asyncDispose]())
      beforeEach(async () => {
        current = await supply.next()
        await open()
      })
      afterEach(async () => {
        const checked = await current.open()
        try {
          await check(checked)
        } finally {
          for (const store of [checked, ...opened.splice(0)]) await store[Symbol.asyncDispose]()
          await current[Symbol.asyncDispose]()
        }
      })
      const ground: ModelGround = {
        get store() {
          return opened[0] as Store
        },
        open,
      }
      define(ground, kind)
    })
}
