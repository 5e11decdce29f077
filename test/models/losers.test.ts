import assert from 'node:assert/strict'
import { test } from 'vitest'
import { stateOf, TaskList } from '../../src/list/index.ts'
import { Plans } from '../../src/plan/index.ts'
import { flaky, type Store, StoreError } from '../../src/store/index.ts'
import { assertTagLists } from '../list/layout.ts'
import { assertLayout } from '../plan/layout.ts'
import { sized } from '../size.ts'
import { onEveryStore } from './stores.ts'

const agents = 5
const by = (agent: number) => ({ cmd: `np test ${agent}` })
const directory = '/nowhere/contested'

/** What somebody hears: that it is done, that it was so already, that nobody knows, or a refusal. */
type Heard = 'done' | 'already' | 'unknown' | string

async function heardOf(asked: Promise<boolean>): Promise<Heard> {
  try {
    return (await asked) ? 'done' : 'already'
  } catch (error) {
    if (error instanceof StoreError) {
      assert.equal(error.code, 'unknown_outcome', error.message)
      return 'unknown'
    }
    const { code, kind } = error as { code?: string; kind?: string }
    return code ?? String(kind)
  }
}

/** A change that only one of many can make, and what all others hear of it. */
interface Contest {
  /** Makes what is contested; answers with its id. */
  prepare(store: Store): Promise<string>
  /** Asks for the change; says whether it was made. */
  ask(store: Store, id: string, agent: number): Promise<boolean>
  readonly losersHear: Heard
  /** Whether what all of them would store is the same, so that nobody can tell whose it is. */
  readonly isAnonymous?: boolean
}

async function planned(store: Store): Promise<string> {
  const plans = new Plans(store)
  const { session } = await plans.start(directory)
  await plans.addTasks(session.sid, [{ title: 'First' }], by(0))
  return session.sid
}

const firstOf = async (plans: Plans, sid: string) => (await plans.plan(sid)).tasks[0]?.id as string
const contested = { text: 'Contested', done: false, tags: ['a', 'b'] }
const task = async (store: Store) =>
  (await new TaskList(store).add(contested.text, contested.tags)).id

const contests: Readonly<Record<string, Contest>> = {
  'start a session': {
    prepare: async () => directory,
    ask: async (store, id) => (await new Plans(store).start(id)).isNew,
    losersHear: 'already',
  },
  'archive a session': {
    prepare: planned,
    ask: async (store, sid, agent) =>
      (await new Plans(store, { now: () => Date.now() + agent * 1_000 }).archive(sid)).changed,
    losersHear: 'already',
  },
  'set a goal': {
    prepare: planned,
    ask: async (store, sid, agent) =>
      (await new Plans(store).setGoal(sid, { title: `Goal of ${agent}` }, by(agent))).length > 0,
    losersHear: 'GOAL_ALREADY_SET',
  },
  'add a task to a plan': {
    prepare: planned,
    ask: async (store, sid, agent) =>
      (await new Plans(store).addTasks(sid, [{ title: 'Second' }], by(agent))).length > 0,
    losersHear: 'already',
  },
  'complete a task of a plan': {
    prepare: planned,
    ask: async (store, sid, agent) => {
      const plans = new Plans(store)
      const tasks = [{ id: await firstOf(plans, sid), status: 'completed' }]
      return (await plans.updateTasks(sid, tasks, by(agent))).length > 0
    },
    losersHear: 'already',
  },
  'mark a task of the list as done': {
    prepare: task,
    ask: async (store, id) => (await new TaskList(store).edit(id, { done: true })).changed,
    losersHear: 'already',
    isAnonymous: true,
  },
  'tag a task of the list': {
    prepare: task,
    ask: async (store, id) =>
      (await new TaskList(store).edit(id, { tags: { add: ['c'] } })).changed,
    losersHear: 'already',
    isAnonymous: true,
  },
  'change a task of the list as it was seen': {
    prepare: task,
    ask: async (store, id, agent) => {
      const list = new TaskList(store)
      const on = { state: stateOf({ ...contested, id, created: '' }) }
      return (await list.edit(id, { text: `As ${agent} has it` }, on)).changed
    },
    losersHear: 'CHANGED_MEANWHILE',
  },
  'delete a task of the list': {
    prepare: task,
    ask: async (store, id) => (await new TaskList(store).delete(id)) === id,
    losersHear: 'not_found',
    isAnonymous: true,
  },
}

const check = async (store: Store) => {
  await assertTagLists(store)
  await assertLayout(store)
}

onEveryStore('of many who make the same change at once', { check }, (ground, kind) => {
  const isSlow = kind.startsWith('s3')
  const rounds = sized(isSlow ? 1 : 3, 30)

  /** Each by an opener of their own, late by moments that differ, that may lose answers. */
  async function race(round: number, { prepare, ask }: Contest, loseAnswers: number) {
    const id = await prepare(ground.store)
    const asked = Array.from({ length: agents }, async (_, agent) => {
      const faults = { loseAnswers, delayMsMax: 3, seed: `${round} ${agent}` }
      return heardOf(ask(flaky(await ground.open(), faults), id, agent))
    })
    return Promise.all(asked)
  }

  for (const [name, contest] of Object.entries(contests))
    test(`one hears that it is done, the others what is so: ${name}`, async () => {
      for (let round = 0; round < rounds; round++) {
        const heard = await race(round, contest, 0)
        const expected = ['done', ...Array.from({ length: agents - 1 }, () => contest.losersHear)]
        assert.deepEqual(heard.toSorted(), expected.toSorted())
        await endAll(ground.store)
      }
    })

  for (const [name, contest] of Object.entries(contests))
    test(`and where answers get lost nobody hears what is not so: ${name}`, async () => {
      for (let round = 0; round < rounds; round++) {
        const heard = await race(round, contest, 0.4)
        const done = heard.filter((each) => each === 'done').length
        const unknown = heard.filter((each) => each === 'unknown').length
        assert.ok((done <= 1 || contest.isAnonymous) && done + unknown >= 1, heard.join())
        for (const each of heard)
          assert.ok(['done', 'unknown', contest.losersHear].includes(each), heard.join())
        await endAll(ground.store)
      }
    })
})

/** The next round begins where nothing is active. */
async function endAll(store: Store): Promise<void> {
  const plans = new Plans(store)
  const session = await plans.find(directory)
  if (session) await plans.archive(session.sid)
}
