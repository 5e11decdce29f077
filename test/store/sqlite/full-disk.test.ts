import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { recorded } from '../../record.ts'
import { SmallDisk } from '../../servers/small-disk.ts'
import { sized } from '../../size.ts'

const disks = sized(1, 20, 10)
const program = fileURLToPath(new URL('../../../.tools/test/processes/fill.js', import.meta.url))

/** What test/processes/fill.ts prints. */
interface Report {
  readonly code: string
  readonly reason: string
  readonly acknowledged: readonly string[]
  readonly keptWhenFull: readonly string[]
  readonly keptLater: readonly string[]
}

const keysOf = (names: readonly string[]): string[] =>
  names.flatMap((name) => [`fill/${name}/a`, `fill/${name}/b`]).sort()

test(`a full disk, ${disks} times, gives disk_full, keeps every acknowledged commit whole, and is forgotten once there is space`, async () => {
  const record = recorded({
    what: 'commits: the disk is full',
    store: 'SQLite',
    promises: ['durable', 'whole', 'honest'],
  })
  for (let nth = 0; nth < disks; nth++) {
    // Of different sizes, for it may be full while the log grows, or while it is written back.
    await using disk = await SmallDisk.of({ bytes: 4_000_000 + nth * 333_333, ballastBytes: 1e6 })
    const [command, ...args] = disk.command([
      ...[process.execPath, program],
      ...[`${disk.path}/store.db`, `${disk.path}/ballast`],
    ])
    const report: Report = JSON.parse(execFileSync(command, args, { encoding: 'utf8' }))
    const { code, reason, acknowledged, keptWhenFull, keptLater } = report
    const lost = keysOf(acknowledged).filter((key) => !keptLater.includes(key))
    record({ faults: 1, operations: acknowledged.length, lost: lost.length })
    assert.deepEqual([code, reason], ['unavailable', 'disk_full'])
    assert.ok(acknowledged.length > 5, 'it wrote something before the disk was full')
    assert.equal(acknowledged.at(-1), 'later')
    assert.deepEqual(keptLater, keysOf(acknowledged))
    assert.deepEqual(keptWhenFull, keysOf(acknowledged.slice(0, -1)))
  }
})
