import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, test } from 'vitest'
import type { Task } from '../../../src/tree/index.ts'
import { cleanUp, type Desk, memoryDesk } from './desk.ts'

cleanUp()

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

/** Ids of one millisecond are shown longer than others, so no two tasks share one. */
async function create(...args: Parameters<Desk['create']>): Promise<Task> {
  const task = await desk.create(...args)
  while (Date.now() <= Date.parse(task.created_at)) await sleep(1)
  return task
}

const eyes = async (columns: number, ...args: string[]): Promise<string[]> => {
  const { stdout } = await desk.run(args, { isTerminal: true, columns })
  return stdout.split('\n').slice(0, -1)
}

const title = 'Fix the login that fails with long passwords'

describe('on a narrow terminal', () => {
  test('a list gives titles a line of their own, and cuts them only there', async () => {
    const { id } = await create(title, '--tags', 'auth')
    await create('Short')
    assert.deepEqual(
      (await eyes(40, 'task', 'list')).map((line) => line.replace(/^[0-9a-f-]{13,}/, 'ID')),
      [
        'ID  P2  open  task',
        '  Fix the login that fails with long pa…',
        'ID  P2  open  task',
        '  Short',
      ],
    )
    assert.ok((await eyes(60, 'task', 'list')).every((line) => line.includes('  P2  open  task  ')))
    assert.ok((await eyes(40, 'task', 'show', id)).length > 0)
  })

  test('a list of short titles stays as it is', async () => {
    await create('Short')
    assert.match(
      (await eyes(40, 'task', 'list')).join('\n'),
      /^[0-9a-f-]{13,} {2}P2 {2}open {2}task {2}Short$/,
    )
  })

  test('a tree does where a title has no room beside its task', async () => {
    const root = await create('Root')
    const child = await create(title, '--parent', root.id, '--tags', 'auth')
    await create('Leaf', '--parent', child.id)
    await create('Last', '--parent', root.id)
    const drawn = (await eyes(44, 'task', 'subtree', root.id)).map((line) =>
      line.replace(/[0-9a-f]{8}-[0-9a-f-]+/, 'ID'),
    )
    assert.deepEqual(drawn, [
      'ID  P2  open  task  Root',
      '├── ID  P2  open  task',
      '│   │ Fix the login that fails with long pa…',
      '│   └── ID  P2  open  task  Leaf',
      '└── ID  P2  open  task  Last',
    ])
  })

  test('a history gives what was changed a line of its own', async () => {
    const { id } = await desk.claimed('a')
    const [first = '', second = ''] = await eyes(44, 'task', 'history', id)
    assert.match(first, /^\d{4}-.*Z {2}ann$/)
    assert.equal(second, '  status: open → in_progress')
  })
})

test('titles of tasks without tags or claimer have the whole line', async () => {
  await create(`${title}, which nobody noticed`)
  await create(title, '--tags', 'auth,urgent,area/web/login,area/api,area/mobile')
  const [first = '', second = ''] = await eyes(100, 'task', 'list')
  assert.ok(first.endsWith('which nobody noticed'), first)
  assert.ok(second.includes(`${title}  [auth,urgent,area/`), second)
})
