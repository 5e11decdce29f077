import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Queue } from '../../src/queue/index.ts'
import { limited, openStore, type Store, StoreError } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'
import { Hand } from './hand.ts'

const stores: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => openStore('memory:'),
  'limited(memory, 1)': async () => limited(await openStore('memory:'), 1),
}

const orders = ['cancel', 'replay', 'archive', 'unarchive'] as const

/** The task as it must be for an order, and what others make of it next: so that the order could be carried out once more. */
const scenes: Readonly<
  Record<
    (typeof orders)[number],
    {
      readonly before: (queue: Queue, hand: Hand, id: string) => Promise<unknown>
      readonly next: (queue: Queue, hand: Hand, id: string) => Promise<unknown>
      readonly made: string
    }
  >
> = {
  cancel: {
    before: async () => {},
    next: (queue, _hand, id) => queue.replay(id),
    made: 'cancelled',
  },
  replay: {
    before: (queue, _hand, id) => queue.cancel(id),
    async next(_queue, hand, id) {
      await hand.claim(id)
      await hand.fail(id)
    },
    made: 'pending',
  },
  archive: {
    before: (queue, _hand, id) => queue.cancel(id),
    next: (queue, _hand, id) => queue.unarchive(id),
    made: 'archived',
  },
  unarchive: {
    async before(queue, _hand, id) {
      await queue.cancel(id)
      await queue.archive(id)
    },
    next: (queue, _hand, id) => queue.archive(id),
    made: 'cancelled',
  },
}

/** Once asked for it, the answer to the next write of a task is lost, and others act before anybody looks. */
function losing(store: Store) {
  let act: (() => Promise<unknown>) | null = null
  const losingStore = altered(store, {
    commit: async (writes) => {
      const result = await store.commit(writes)
      const others = act
      if (others === null || !writes.some(({ key }) => key.startsWith('qo/tasks/'))) return result
      act = null
      await others()
      throw new StoreError('lost_answer', 'The answer was lost.', 'Look.')
    },
  })
  return {
    store: losingStore,
    loseNext: (others: () => Promise<unknown>) => {
      act = others
    },
  }
}

for (const [name, open] of Object.entries(stores))
  describe(`an order whose answer is lost, on ${name}`, () => {
    test.each(orders)(
      '%s is carried out once, whatever others make of the task next',
      async (order) => {
        await using store = await open()
        const shaky = losing(store)
        const [queue, others, hand] = [new Queue(shaky.store), new Queue(store), new Hand(store)]
        const { id } = await others.submit({ type: 't' })
        const scene = scenes[order]
        await scene.before(others, hand, id)
        shaky.loseNext(() => scene.next(others, hand, id))
        const { task, isChanged } = await queue[order](id)
        assert.deepEqual([task.status, isChanged], [scene.made, true])
        const history = (await others.history(id)).map((version) => version.task.status)
        const after = await others.get(id)
        assert.notEqual(after.status, scene.made, history.join())
        await Promise.all([queue.close(), others.close()])
      },
    )
  })
