import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { flaky, limited, openStore, type Store, StoreError } from '../../src/store/index.ts'
import { sized } from '../size.ts'
import { scheduled } from '../store/altered.ts'
import { assertExact, assertNoneMissing, noteOf, notesOn } from './notes.ts'

const ids = ['a', 'b']
const command = fc.record({
  kind: fc.constantFrom('create', 'change', 'change', 'delete', 'repair'),
  id: fc.constantFrom(...ids),
  labels: fc.subarray(['x', 'y']),
  status: fc.constantFrom('open', 'done'),
})
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

async function perform(store: Store, { kind, id, labels, status }: Command): Promise<void> {
  const notes = notesOn(store)
  if (kind === 'create') await notes.create(id, noteOf(id, { labels, status }))
  if (kind === 'change') await notes.change(id, (note) => ({ ...note, labels, status }))
  if (kind === 'delete') await notes.delete(id)
  if (kind === 'repair') await notes.repair({ graceMs: 60 })
}

async function start(isAtomic: boolean): Promise<Store> {
  const memory = await openStore('memory:')
  const store = isAtomic ? memory : limited(memory, 1)
  for (const id of ids) await notesOn(store).create(id, noteOf(id, { labels: ['x'] }))
  return store
}

/** Ids are never used again after a deletion: each creation has one of its own. */
let created = 0
const withoutReuse = (commands: readonly Command[]): Command[] =>
  commands.map((each) => (each.kind === 'create' ? { ...each, id: `new-${++created}` } : each))

describe('writers of the same documents, in every order', () => {
  for (const [name, isAtomic] of [
    ['with transactions', true],
    ['without', false],
  ] as const)
    test(`indexes are exact when all are done, ${name}`, async () => {
      const clients = fc.array(fc.array(command, { minLength: 1, maxLength: 3 }), {
        minLength: 2,
        maxLength: 4,
      })
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), clients, async (scheduler, work) => {
          await using store = await start(isAtomic)
          const run = async (commands: readonly Command[]) => {
            for (const each of withoutReuse(commands))
              await perform(scheduled(store, scheduler), each)
          }
          await scheduler.waitFor(Promise.all(work.map(run)))
          await assertExact(store)
        }),
        { numRuns: sized(50, 150) },
      )
    })

  test('when some of them die on the way there is never a mark too few, and repair mends the rest', async () => {
    const client = fc.record({
      commands: fc.array(command, { minLength: 1, maxLength: 3 }),
      diesAt: fc.nat(8),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(client, { minLength: 2, maxLength: 4 }),
        async (scheduler, clients) => {
          await using store = await start(false)
          const run = async ({ commands, diesAt }: { commands: Command[]; diesAt: number }) => {
            const dying = flaky(store, diesAt === 0 ? {} : { failBefore: diesAt, crash: true })
            try {
              for (const each of withoutReuse(commands))
                await perform(scheduled(dying, scheduler), each)
            } catch (error) {
              assert.ok(error instanceof StoreError, String(error))
            }
          }
          await scheduler.waitFor(Promise.all(clients.map(run)))
          await assertNoneMissing(store)
          await notesOn(store).repair({ graceMs: 0 })
          await assertExact(store)
        },
      ),
      { numRuns: sized(50, 150) },
    )
  })

  test('lost answers neither lose a change nor leave the indexes wrong', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(command, { maxLength: 12 }),
        async (seed, commands) => {
          await using store = await start(false)
          const lossy = flaky(store, { loseAnswers: 0.2, seed })
          // Two lost answers in one operation are too many to be settled: it says so.
          for (const each of withoutReuse(commands))
            await perform(lossy, each).catch((error) => assert.equal(error.code, 'unknown_outcome'))
          await assertNoneMissing(store)
          await notesOn(store).repair({ graceMs: 0 })
          await assertExact(store)
        },
      ),
      { numRuns: sized(40, 100) },
    )
  })
})

test('an answer that was lost is settled: the change happened once, and its author is told so', async () => {
  await using store = await start(true)
  const lossy = notesOn(flaky(store, { failAfter: 1 }))
  const outcome = await lossy.change('a', (note) => ({ ...note, title: `${note.title}+` }))
  assert.deepEqual([outcome?.before.title, outcome?.after.title], ['a', 'a+'])
  assert.equal((await notesOn(store).get('a'))?.value.title, 'a+')
})

test('a failure after a lost answer is not taken for "nothing happened"', async () => {
  await using store = await start(true)
  const dying = notesOn(flaky(store, { failAfter: 1, crash: true }))
  await assert.rejects(
    dying.change('a', (note) => ({ ...note, title: 'b' })),
    (error) => error instanceof StoreError && error.code === 'unknown_outcome',
  )
})
