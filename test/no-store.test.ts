import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Tokens } from '../src/access/index.ts'
import { TaskManager } from '../src/jobs/index.ts'
import { TaskList } from '../src/list/index.ts'
import { Plans } from '../src/plan/index.ts'
import { Monitor, Queue, TaskGauges, Worker } from '../src/queue/index.ts'
import { counted, flaky, limited, openStore, prefixed, StoreError } from '../src/store/index.ts'
import { TaskTree } from '../src/tree/index.ts'

/** All that is built on a store by its users. */
const made: Readonly<Record<string, (store: never, options: never) => unknown>> = {
  TaskList: (store, options) => new TaskList(store, options),
  Plans: (store, options) => new Plans(store, options),
  TaskManager: (store, options) => new TaskManager(store, options),
  TaskTree: (store, options) => new TaskTree(store, options),
  Queue: (store, options) => new Queue(store, options),
  Worker: (store, options) => new Worker(store, options),
  Monitor: (store, options) => new Monitor(store, options),
  TaskGauges: (store, options) => new TaskGauges(store, options),
  Tokens: (store) => new Tokens(store),
  prefixed: (store) => prefixed(store, 'a/b'),
  limited: (store) => limited(store, 1),
  counted: (store) => counted(store),
  flaky: (store) => flaky(store, { failBefore: 1 }),
}
const notBuiltWithOptions = ['Tokens', 'prefixed', 'limited', 'counted', 'flaky']

/** Whether it is refused in words, and not by what it happens to run into. */
function isTold(error: unknown): boolean {
  assert.ok(error instanceof StoreError, String(error))
  assert.equal(error.reason, 'bad_option')
  return true
}

for (const [name, make] of Object.entries(made))
  describe(name, () => {
    test.each([undefined, null, {}, 7, 'sqlite:x.db', () => {}])(
      'refuses %s for a store',
      (none) => {
        assert.throws(() => make(none as never, {} as never), isTold)
      },
    )

    test('says that a promise was given where somebody forgot to await the store', async () => {
      const opening = openStore('memory:')
      const refusal = { reason: 'bad_option', message: /promise.*await/ }
      assert.throws(() => make(opening as never, {} as never), refusal)
      await (await opening)[Symbol.asyncDispose]()
    })

    if (name === 'Worker')
      test('refuses to be without options', async () => {
        await using store = await openStore('memory:')
        assert.throws(() => make(store as never, undefined as never), isTold)
      })

    if (!notBuiltWithOptions.includes(name))
      test.each([null, 7, 'x', []])('refuses %s for options', async (none) => {
        await using store = await openStore('memory:')
        const isRefused = (error: Error) =>
          error instanceof StoreError || /options|A manager/.test(error.message)
        assert.throws(() => make(store as never, none as never), isRefused)
      })
  })
