import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { describe, test } from 'vitest'
import {
  InvalidPlanError,
  PlanError,
  Plans,
  Refusal,
  SessionNotFoundError,
  TaskNotFoundError,
} from '../../src/plan/index.ts'
import { openStore } from '../../src/store/index.ts'

const told = { cmd: 'np test', reason: 'why' }
const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

/** A session with a goal and a task, and everything that is stored of it. */
async function prepared() {
  const store = await openStore('memory:')
  const plans = new Plans(store)
  const { sid } = (await plans.start('/nowhere/project')).session
  await plans.setGoal(sid, { title: 'Ship' }, told)
  const [added] = await plans.addTasks(sid, [{ title: 'One' }], told)
  const id = added?.event.type === 'task_added' ? added.event.payload.task.id : ''
  const contents = async () => {
    const all: string[] = []
    for await (const { key, value } of store.scan('')) all.push(`${key} ${Buffer.from(value)}`)
    return all
  }
  return { plans, sid, id, contents, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

/** Every method with right arguments, of which one is replaced. */
const methods: Readonly<Record<string, (sid: string, id: string) => unknown[]>> = {
  start: () => ['/nowhere/project'],
  find: () => ['/nowhere/project'],
  lastArchived: () => ['/nowhere/project'],
  session: (sid) => [sid],
  list: () => [10, 0],
  plan: (sid) => [sid],
  goal: (sid) => [sid],
  task: (sid, id) => [sid, id],
  tasks: (sid) => [sid, 'pending'],
  events: (sid) => [sid, 10],
  setGoal: (sid) => [sid, { title: 'Ship' }, told],
  updateGoal: (sid) => [sid, { title: 'Ship' }, told],
  addTasks: (sid) => [sid, [{ title: 'One' }], told],
  updateTasks: (sid, id) => [sid, [{ id, status: 'pending' }], told],
  change: (sid) => [sid, { kind: 'add-tasks', tasks: [{ title: 'One' }] }, told],
  apply: (sid) => [sid, { kind: 'update-goal', words: { title: 'Ship' } }, told],
  repair: () => [{}],
  reader: (sid) => [sid],
  archive: (sid) => [sid],
}

const junk: readonly unknown[] = [
  ...[null, 7, -1, 0.5, Number.NaN, true, '', 'wat', '../..', 'a/b', [], {}, () => 1, Symbol('x')],
  ...[10n, Object.create(null)],
  ...[[null], [7], ['x'], [[]], [{}], { title: 7 }, { wat: 1 }, [{ wat: 1 }], { cmd: 7 }],
  ...[{ kind: 'wat' }, { kind: 'add-tasks' }, { kind: 'set-goal', words: null }],
  ...[[{ id: 7, status: 'done' }], [{ id: 'ffffff', status: 7 }], [{ title: 'x', description: 1 }]],
]

describe('wrong input', () => {
  for (const [name, argumentsOf] of Object.entries(methods))
    test(`${name}() refuses it with a typed error, and changes nothing`, async () => {
      await using place = await prepared()
      const { plans, sid, id, contents } = place
      const right = argumentsOf(sid, id)
      const before = await contents()
      const call = async (args: unknown[]) =>
        (plans as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(...args)
      for (const at of right.keys())
        for (const wrong of junk)
          try {
            await call(right.with(at, wrong))
          } catch (error) {
            assert.ok(error instanceof Refusal, `${name} ${at} ${inspect(wrong)}: ${error}`)
          }
      // What is a path starts a session, and every session can be archived.
      if (name !== 'archive' && name !== 'start') assert.deepEqual(await contents(), before)
    })

  for (const name of ['plan', 'goal', 'tasks', 'task', 'events', 'archive', 'addTasks', 'apply'])
    test(`${name}() of a session that is not there says so`, async () => {
      await using place = await prepared()
      const { plans } = place
      const [, ...rest] = methods[name]!(nobody, 'ffffff')
      const call = (sid: unknown) =>
        (plans as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[name]!(
          sid,
          ...rest,
        )
      for (const sid of [nobody, 'nope', '', 'a/b', nobody.toLowerCase()])
        await assert.rejects(call(sid), SessionNotFoundError)
      for (const sid of [undefined, null, 7, {}]) await assert.rejects(call(sid), InvalidPlanError)
    })

  const refused: readonly [string, (place: Awaited<ReturnType<typeof prepared>>) => unknown][] = [
    ['an unknown status', ({ plans, sid }) => plans.tasks(sid, 'wat' as 'pending')],
    ['no status', ({ plans, sid }) => plans.tasks(sid, undefined as unknown as 'pending')],
    ['no path', ({ plans }) => plans.start('')],
    ['a limit below 0', ({ plans }) => plans.list(-1)],
    ['a limit of words', ({ plans, sid }) => plans.events(sid, '5' as unknown as number)],
    ['an offset that is no number', ({ plans }) => plans.list(1, Number.NaN)],
    ['no words', ({ plans, sid }) => plans.setGoal(sid, undefined as never, told)],
    [
      'a field it does not know',
      ({ plans, sid }) => plans.updateGoal(sid, { titel: 'x' } as never, told),
    ],
    [
      'a field of a task that it does not know',
      ({ plans, sid, id }) => plans.updateTasks(sid, [{ id, stauts: 'done' } as never], told),
    ],
    ['nothing told', ({ plans, sid }) => plans.addTasks(sid, [], undefined as never)],
    ['no command told', ({ plans, sid }) => plans.addTasks(sid, [], {} as never)],
    ['tasks that are no list', ({ plans, sid }) => plans.addTasks(sid, 'One' as never, told)],
    ['an unknown change', ({ plans, sid }) => plans.apply(sid, { kind: 'wat' } as never, told)],
    [
      'a state that is no string',
      ({ plans, sid }) => plans.updateGoal(sid, { title: 'x', state: 7 as never }, told),
    ],
  ]
  for (const [what, call] of refused)
    test(`${what} is an InvalidPlanError`, async () => {
      await using place = await prepared()
      await assert.rejects(
        async () => call(place),
        (error) => {
          assert.ok(error instanceof InvalidPlanError && error instanceof PlanError, String(error))
          assert.equal(error.code, 'INVALID_PLAN')
          assert.match(error.message, /^[A-Z].*\. [A-Z].*\.$/)
          return true
        },
      )
    })

  test('a word for a status does', async () => {
    await using place = await prepared()
    const { plans, sid, id } = place
    await plans.updateTasks(sid, [{ id, status: 'done' }], told)
    assert.equal((await plans.tasks(sid, 'done' as 'completed')).length, 1)
    await assert.rejects(plans.task(sid, 'ffffff'), TaskNotFoundError)
  })
})
