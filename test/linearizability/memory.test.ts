import { describe, test } from 'vitest'
import { flaky, limited, openStore, type Store } from '../../src/store/index.ts'
import { sized } from '../size.ts'
import { groundOf } from './client.ts'
import { historyOf } from './history.ts'
import { lingering } from './lingering.ts'
import { recordEnd, recordRound } from './round.ts'
import { seed, Tally } from './tally.ts'

const rounds = sized(60, 3_000)

const kinds: Record<string, (store: Store, seed: number) => Store> = {
  memory: (store) => store,
  'memory with one write a commit': (store) => limited(store, 1),
  'memory with two writes a commit': (store) => limited(store, 2),
  'memory that loses requests and answers': (store, fate) =>
    flaky(store, { loseRequests: 0.05, loseAnswers: 0.1, seed: fate }),
}

describe('memory is linearizable', () => {
  for (const [name, wrap] of Object.entries(kinds))
    test(`${name}: ${rounds} histories`, async () => {
      await using inner = await openStore('memory:')
      const tally = new Tally(name)
      for (let round = 0; round < rounds; round++) {
        const ground = groundOf('memory', round, 2 + (round % 4))
        const store = lingering(wrap(inner, seed + round), seed + round)
        const options = { stores: [store], clients: 6, calls: 12, ground, seed: seed + round }
        const notes = await recordRound(options)
        tally.add(historyOf([...notes, ...(await recordEnd(inner, ground))]))
      }
      tally.settle()
    })
})
