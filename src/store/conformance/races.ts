import assert from 'node:assert/strict'
import { mutate } from '../mutate.ts'
import { create, remove, type Store, update } from '../store.ts'
import { bytes, type Case, type Ground, put, putText, text } from './case.ts'

const openers = 5
const increments = 10

const increment = (store: Store, key: string) =>
  mutate(store, key, (entry) => bytes(String(Number(text(entry) ?? 0) + 1)))

async function withOpeners(
  ground: Ground,
  body: (stores: readonly Store[]) => Promise<void>,
): Promise<void> {
  const stores = await Promise.all(Array.from({ length: openers }, () => ground.open()))
  try {
    await body(stores)
  } finally {
    await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()))
  }
}

export const raceCases: readonly Case[] = [
  {
    name: `${openers} openers, ${increments} increments each of one key: the sum is exact`,
    async run(store, ground) {
      await withOpeners(ground, async (stores) => {
        const work = async (own: Store) => {
          for (let count = 0; count < increments; count++) await increment(own, 'ns/sum')
        }
        await Promise.all(stores.map(work))
      })
      assert.equal(text(await store.get('ns/sum')), String(openers * increments))
    },
  },
  {
    name: `${openers} openers create one key: exactly one succeeds, and it is the one that stays`,
    async run(store, ground) {
      await withOpeners(ground, async (stores) => {
        const results = await Promise.all(
          stores.map((own, index) => own.commit([create('ns/once', bytes(String(index)))])),
        )
        const winners = results.flatMap(({ ok }, index) => (ok ? [String(index)] : []))
        assert.deepEqual(winners, [text(await store.get('ns/once'))])
      })
    },
  },
  {
    name: `${openers} openers update or remove one state: exactly one succeeds`,
    async run(store, ground) {
      const [head] = await putText(store, 'ns/state')
      await withOpeners(ground, async (stores) => {
        const results = await Promise.all(
          stores.map((own, index) =>
            own.commit([index % 2 ? remove(head!) : update(head!, bytes(String(index)))]),
          ),
        )
        const winners = results.flatMap(({ ok }, index) => (ok ? [index] : []))
        assert.equal(winners.length, 1)
        const expected = winners[0]! % 2 ? null : String(winners[0])
        assert.equal(text(await store.get('ns/state')), expected)
      })
    },
  },
  {
    name: 'two openers of the same data see each other',
    async run(store, ground) {
      await using other = await ground.open()
      const [head] = await put(store, create('ns/a', bytes('1')))
      const seen = await other.get('ns/a')
      assert.equal(seen?.revision, head!.revision)
      await put(other, update(seen!, bytes('2')))
      assert.equal(text(await store.get('ns/a')), '2')
      assert.deepEqual(await store.commit([update(head!, bytes('3'))]), { ok: false })
    },
  },
]
