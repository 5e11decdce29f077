import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openStore, type Store } from '../../src/store/index.ts'
import { Random } from '../sim/random.ts'
import { sized } from '../size.ts'
import { temporaryFolder } from '../store/ground.ts'
import { groundOf } from './client.ts'
import { type Defect, defects } from './defects.ts'
import { historyOf } from './history.ts'
import { lingering } from './lingering.ts'
import { recordEnd, recordRound } from './round.ts'
import { seed, Tally } from './tally.ts'

/** A bug that shows itself so seldom escapes most tests. */
const compareIn = 1_000
const otherIn = sized(100, 1_000)
/** So many histories of 72 calls and more are enough for each of the bugs. */
const historiesMax = 6_000

const skippedCompare = 'skips a compare'

interface Broken {
  readonly stores: readonly Store[]
  readonly defect: string
  readonly oneIn: number
}

/** Records histories until one is found out. */
async function assertCaught(name: string, { stores: inner, defect, oneIn }: Broken): Promise<void> {
  const tally = new Tally(`${name} that ${defect}`)
  const random = new Random(seed)
  const broken = inner.map((store) => (defects[defect] as Defect)(store, random, oneIn))
  for (let round = 0; tally.violations === 0 && round < historiesMax; round++) {
    const stores = broken.map((store, index) => lingering(store, seed + round * 10 + index))
    const ground = groundOf('defects', round, 3)
    const options = { stores, clients: 6, calls: 12, ground, seed: seed + round }
    const notes = await recordRound(options)
    tally.add(historyOf([...notes, ...(await recordEnd(broken[0]!, ground))]))
  }
  process.stdout.write(`${tally.line}\n`)
  assert.equal(tally.violations, 1, tally.line)
}

describe('a store that is seldom wrong is found out', () => {
  for (const defect of Object.keys(defects)) {
    const oneIn = defect === skippedCompare ? compareIn : otherIn
    test(`memory that ${defect} once in ${oneIn} times`, async () => {
      await using store = await openStore('memory:')
      await assertCaught('memory', { stores: [store], defect, oneIn })
    })
  }

  test(`SQLite that ${skippedCompare} once in ${compareIn} times`, async () => {
    await using folder = await temporaryFolder()
    const url = `sqlite:${folder.path('store.db')}`
    await using one = await openStore(url)
    await using other = await openStore(url)
    const stores = [one, other]
    await assertCaught('SQLite', { stores, defect: skippedCompare, oneIn: compareIn })
  })
})
