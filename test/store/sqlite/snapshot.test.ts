import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  create,
  openStore,
  remove,
  type Store,
  StoreError,
  update,
} from '../../../src/store/index.ts'
import { temporaryFolder } from '../ground.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

async function contentsOf(store: Store): Promise<string[]> {
  const found: string[] = []
  for await (const { key, value } of store.scan('')) found.push(`${key}=${Buffer.from(value)}`)
  return found
}

describe('a moment of a SQLite store', () => {
  test('stays as it is, whatever this process and others commit meanwhile', async () => {
    await using folder = await temporaryFolder()
    const url = `sqlite:${folder.path('store.db')}`
    await using store = await openStore(url)
    await using other = await openStore(url)
    await store.commit([create('a/1', bytes('x')), create('a/2', bytes('x'))])
    await using moment = (await store.snapshot?.()) as Store
    const [one, two] = await Promise.all([other.get('a/1'), store.get('a/2')])
    await other.commit([update(one!, bytes('y')), create('a/3', bytes('y'))])
    await store.commit([remove(two!)])
    assert.deepEqual(await contentsOf(moment), ['a/1=x', 'a/2=x'])
    assert.deepEqual(await moment.get('a/1'), one)
    assert.equal(await moment.get('a/3'), null)
    assert.deepEqual(await contentsOf(store), ['a/1=y', 'a/3=y'])
    await using later = (await store.snapshot?.()) as Store
    assert.deepEqual(await contentsOf(later), ['a/1=y', 'a/3=y'])
  })

  test('takes no commits, checks what it is asked for, and ends without its store', async () => {
    await using folder = await temporaryFolder()
    await using store = await openStore(`sqlite:${folder.path('store.db')}`)
    const moment = (await store.snapshot?.()) as Store
    const reasonOf = (asked: Promise<unknown>) =>
      asked.then(
        () => 'none',
        (error: StoreError) => error.reason,
      )
    assert.equal(await reasonOf(moment.commit([create('a/1', bytes('x'))])), 'read_only')
    assert.equal(await reasonOf(moment.get('no key')), 'bad_key')
    await moment[Symbol.asyncDispose]()
    assert.equal(await reasonOf(moment.get('a/1')), 'disposed')
    assert.ok((await store.commit([create('a/1', bytes('x'))])).ok)
    await store[Symbol.asyncDispose]()
    await assert.rejects(async () => store.snapshot?.(), StoreError)
  })
})
