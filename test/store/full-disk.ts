import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { create, type Store, type StoreError } from '../../src/store/index.ts'
import { type RecordedStore, recorded } from '../record.ts'
import { SmallDisk } from '../servers/small-disk.ts'

const lanes = 4
const valueBytes = 50_000
/** So often in a row a commit fails before the disk counts as full. */
const failuresMin = 5
const commitsMax = 5_000
const roomMsMax = 30_000

interface OnDisk extends AsyncDisposable {
  open(): Promise<Store>
  /** What an operator does once there is room again. */
  restart(): Promise<void>
}

/** What the commits of two keys each came to. */
interface Filling {
  readonly acknowledged: string[]
  readonly unavailable: string[]
  readonly told: Set<string>
}

/** Commits until nothing is taken any more. Every failure is one of the store's, that leaves the caller with something to do. */
async function fill(store: Store): Promise<Filling> {
  const filling: Filling = { acknowledged: [], unavailable: [], told: new Set() }
  const value = new Uint8Array(valueBytes).fill(1)
  let [next, failures] = [0, 0]
  const work = async () => {
    while (failures < failuresMin && next < commitsMax) {
      const name = String(next++)
      const keys = store.limits.commitWritesMax > 1 ? ['a', 'b'] : ['a']
      try {
        const { ok } = await store.commit(keys.map((key) => create(`fill/${name}/${key}`, value)))
        assert.ok(ok, `a conflict on ${name}, which nobody else writes`)
        filling.acknowledged.push(name)
        failures = 0
      } catch (error) {
        failures++
        const { code, message } = error as StoreError
        filling.told.add(`${code}: ${message}`)
        if (code === 'unavailable') filling.unavailable.push(name)
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, work))
  return filling
}

async function keysIn(store: Store): Promise<Map<string, number>> {
  const names = new Map<string, number>()
  for await (const { key, value } of store.scan('fill')) {
    const name = key.split('/')[1] as string
    if (value.length === valueBytes) names.set(name, (names.get(name) ?? 0) + 1)
  }
  return names
}

interface Disks {
  readonly store: RecordedStore
  /** In bytes. */
  readonly sizes: readonly number[]
  /** Whether the first writes of a commit may stay where it had no answer. */
  readonly mayBeHalf?: boolean
  start(disk: SmallDisk): Promise<OnDisk>
}

/** Fills disks with commits: what was acknowledged stays whole, what was refused is not there, and with room it goes on. */
export async function fillDisks({ store, sizes, mayBeHalf = false, start }: Disks): Promise<void> {
  const record = recorded({
    what: 'commits: the disk is full',
    store,
    promises: ['durable', 'whole', 'honest'],
  })
  for (const bytes of sizes) {
    await using disk = await SmallDisk.of({ bytes, ballastBytes: bytes / 4 })
    await using server = await start(disk)
    const { acknowledged, unavailable, told } = await fillOnce(server)
    disk.removeBallast()
    await server.restart()
    await using opened = await server.open()
    const there = await keysIn(opened)
    const lost = acknowledged.filter((name) => !there.has(name))
    record({ faults: 1, operations: acknowledged.length, lost: lost.length })
    assert.deepEqual(lost, [])
    assert.deepEqual(
      unavailable.filter((name) => there.has(name)),
      [],
      'of these the store said that nothing happened',
    )
    const writes = opened.limits.commitWritesMax > 1 ? 2 : 1
    const half = [...there].filter(([, count]) => count < writes).map(([name]) => name)
    const bad = half.filter((name) => !mayBeHalf || acknowledged.includes(name))
    assert.deepEqual(bad, [], 'these are half there')
    for (const text of told) assert.match(text, /^(unavailable|unknown_outcome): .*/)
    assert.ok(
      [...told].some((text) => /space/.test(text)),
      `it said ${[...told]}`,
    )
    await untilTaken(opened)
  }
}

async function fillOnce(server: OnDisk): Promise<Filling> {
  await using store = await server.open()
  return await fill(store)
}

async function untilTaken(store: Store): Promise<void> {
  for (const until = performance.now() + roomMsMax; ; await sleep(100))
    try {
      if ((await store.commit([create('later/a', new Uint8Array(valueBytes))])).ok) return
    } catch (error) {
      assert.ok(performance.now() < until, `it takes nothing although there is room: ${error}`)
    }
}
