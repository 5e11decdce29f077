import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { create, openStore } from '../../../src/store/index.ts'
import { assertFails } from '../failures.ts'
import { temporaryFolder } from '../ground.ts'

export const one = new Uint8Array([1])
export const pageSize = 4096
export const sectorSize = 512
export const magic = Buffer.from('d9d505f920a163d7', 'hex')

/** A store with one entry, in a folder of its own. */
export async function made() {
  const folder = await temporaryFolder()
  fs.mkdirSync(folder.path('repo'))
  const path = folder.path('repo/store.db')
  await using store = await openStore(`sqlite:${path}`)
  await store.commit([create('ns/a', one)])
  return { ...folder, path, outside: folder.path('precious.txt') }
}

/** All that is below a folder but what is opened, byte for byte. */
const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => [name, `${folder}/${name}`] as const)
      .map(([name, path]) => {
        const stats = fs.lstatSync(path)
        return [name, stats.isFile() ? fs.readFileSync(path, 'hex') : `mode ${stats.mode}`]
      }),
  )

/** Opening it, whether to make one or not, changes nothing anywhere. */
export async function assertRefusedUntouched(path: string, what: RegExp): Promise<void> {
  const root = dirname(dirname(path))
  const before = contentsOf(root)
  for (const options of [{}, { create: false }]) {
    const error = await assertFails(() => openStore(`sqlite:${path}`, options), 'foreign_file')
    assert.match(error.message, what)
    assert.match(error.message, /move it away/)
  }
  assert.deepEqual(contentsOf(root), before)
}

const numbers = (...each: number[]): Buffer => {
  const bytes = Buffer.alloc(each.length * 4)
  for (const [at, number] of each.entries()) bytes.writeUInt32BE(number, at * 4)
  return bytes
}

/** The header of a hot journal: nothing is to be put back, and the file had so many pages. */
export const journalHeader = (pages: number, records = 0): Buffer =>
  Buffer.concat([magic, numbers(records, 0, pages, sectorSize, pageSize)], sectorSize)

/** What a transaction over several files ends its journals with. */
export function superJournal(name: string): Buffer {
  const bytes = Buffer.from(name)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  const lockPage = 0x40000000 / pageSize + 1
  return Buffer.concat([numbers(lockPage), bytes, numbers(bytes.length, sum), magic])
}
