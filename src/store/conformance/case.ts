import assert from 'node:assert/strict'
import { StoreError, type StoreErrorCode, type StoreErrorReason } from '../error.ts'
import { namespaceOf } from '../key.ts'
import {
  type CommitResult,
  create,
  type Entry,
  type Head,
  type ListOptions,
  type Store,
  type Write,
} from '../store.ts'

/** The data of one test. Disposing of it ends everything that belongs to it. */
export interface Ground extends AsyncDisposable {
  /** One more opener of the same data, as another process would have. The caller disposes of it. */
  open(): Promise<Store>
  /** The same, but the answer of its first commit is lost after the store applied it. */
  openLosingAnswer(): Promise<Store>
}

export interface Case {
  readonly name: string
  run(store: Store, ground: Ground): Promise<void>
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
export const text = (entry: Entry | null): string | null =>
  entry && new TextDecoder().decode(entry.value)

/** Commits what must succeed; answers with the heads it made. */
export async function put(store: Store, ...writes: readonly Write[]): Promise<Head[]> {
  const result = await store.commit(writes)
  assert.equal(result.ok, true, 'the commit conflicts, though nothing else writes')
  assert.equal(result.revisions.length, writes.length, 'one revision for each write')
  return writes.map(({ key, type }, index) => {
    const revision = result.revisions[index] ?? ''
    assert.equal(revision === '', type === 'remove', `the revision of a ${type} is "${revision}"`)
    return { key, revision }
  })
}

export const putText = (store: Store, ...keys: readonly string[]): Promise<Head[]> =>
  inBatches(
    store,
    keys.map((key) => create(key, bytes(key))),
  )

/** Many writes, in commits as large as the store takes; answers with the heads in the same order. */
export async function inBatches(store: Store, writes: readonly Write[]): Promise<Head[]> {
  const groups = new Map<string, Write[]>()
  for (const write of writes) {
    const namespace = namespaceOf(write.key)
    groups.set(namespace, [...(groups.get(namespace) ?? []), write])
  }
  const size = store.limits.commitWritesMax
  const batches = [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / size) }, (_, index) =>
      group.slice(index * size, (index + 1) * size),
    ),
  )
  const heads = (await Promise.all(batches.map((batch) => put(store, ...batch)))).flat()
  const byKey = new Map(heads.map((head) => [head.key, head]))
  return writes.map(({ key }) => byKey.get(key) as Head)
}

export const assertConflict = async (result: Promise<CommitResult>): Promise<void> =>
  assert.deepEqual(await result, { ok: false })

export async function assertFails(
  call: () => Promise<unknown>,
  code: StoreErrorCode,
  reason?: StoreErrorReason,
): Promise<void> {
  const error = await call().then(
    () => assert.fail(`it succeeded; ${code} was expected`),
    (failure: unknown) => failure,
  )
  assert.ok(error instanceof StoreError, `not a StoreError: ${error}`)
  assert.equal(error.code, code)
  if (reason) assert.equal(error.reason, reason)
  assert.ok(error.next.length > 0, 'the error says what to do next')
}

/** All items, so that they are compared as a whole: an assertion inside a loop over nothing proves nothing. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

export const keysOf = async (heads: AsyncIterable<Head>): Promise<string[]> =>
  (await collect(heads)).map(({ key }) => key)

/** The keys of a range, which `list` and `scan` must agree on. */
export async function keysIn(
  store: Store,
  prefix: string,
  options?: ListOptions,
): Promise<string[]> {
  const listed = await keysOf(store.list(prefix, options))
  const scanned = await keysOf(store.scan(prefix, options))
  assert.deepEqual(scanned, listed, 'scan gives other keys than list')
  return listed
}
