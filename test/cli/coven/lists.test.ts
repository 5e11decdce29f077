import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import type { Task } from '../../../src/tree/index.ts'
import { cleanUp, type Desk, memoryDesk, nobody } from './desk.ts'

cleanUp()

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

/** What a list holds, cut or not. */
const listed = async (...args: string[]): Promise<Task[]> =>
  JSON.parse((await desk.run(['task', ...args, '--json'])).stdout).data

const titles = async (...args: string[]): Promise<string[]> =>
  (await listed(...args)).map(({ title }) => title)

describe('coven task list', () => {
  test('shows id, priority, status, type, title, claimer and tags, oldest first', async () => {
    const a = await desk.create('Plan', '--type', 'epic', '--priority', '0')
    const b = await desk.claimed('Do it', '--tags', 'x,y')
    assert.deepEqual(await desk.lines('task', 'list'), [
      `${a.id}  P0  open         epic  Plan`,
      `${b.id}  P2  in_progress  task  Do it  @ann [x,y]`,
    ])
    const { v, kind, data, total, shown } = await desk.json('task', 'list')
    assert.deepEqual([v, kind, total, shown], [1, 'task.list', 2, 2])
    assert.deepEqual(data[1], await desk.task('show', b.id))
  })

  test('none is an empty list', async () => {
    await desk.coven('task', 'bulk', 'delete', (await desk.create('x')).id)
    assert.equal(await desk.coven('task', 'list'), '')
    const { data, total, shown } = await desk.json('task', 'list')
    assert.deepEqual([data, total, shown], [[], 0, 0])
    const eyes = await desk.run(['task', 'list'], { isTerminal: true })
    assert.deepEqual([eyes.stdout, eyes.stderr], ['', 'coven: No task matches.\n'])
  })

  test('a comma is "or" in one filter, several filters are "and"', async () => {
    await desk.create('a', '--type', 'bug', '--priority', '0', '--tags', 'area/web,x')
    await desk.create('b', '--type', 'task', '--priority', '1', '--tags', 'y')
    await desk.claimed('c', '--type', 'bug', '--priority', '2')
    assert.deepEqual(await titles('list', '--type', 'bug'), ['a', 'c'])
    assert.deepEqual(await titles('list', '--type', 'bug,task', '--priority', '0,1'), ['a', 'b'])
    assert.deepEqual(await titles('list', '--priority', '0', '--priority', '1'), ['a', 'b'])
    assert.deepEqual(await titles('list', '--tag', 'x,y'), ['a', 'b'])
    assert.deepEqual(await titles('list', '--tag-pattern', 'area/**'), ['a'])
    assert.deepEqual(await titles('list', '--tag_pattern', '{y,z},area/*'), ['a', 'b'])
    assert.deepEqual(await titles('list', '--status', 'in_progress'), ['c'])
    assert.deepEqual(await titles('list', '--status', 'in_progress,open', '--type', 'task'), ['b'])
    assert.deepEqual(await titles('list', '--claimed-by', 'ann,bob'), ['c'])
  })

  test('below a parent, by its id or the start of it', async () => {
    const a = await desk.create('a')
    const b = await desk.create('b', '--parent', a.id)
    await desk.create('c', '--parent', b.id)
    for (const option of ['--parent', '--parent-id']) {
      assert.deepEqual(await titles('list', option, a.id), ['b'])
      assert.deepEqual(await titles('list', option, `${a.id},${b.id.slice(0, 30)}`), ['b', 'c'])
    }
    assert.equal((await desk.refusal('task', 'list', '--parent', nobody)).exit, 10)
  })

  test('is cut at 100, or at the limit, and says so; --all shows everything', async () => {
    for (let at = 0; at < 103; at++) await desk.create(`Task ${at}`)
    const usual = await desk.run(['task', 'list'])
    assert.deepEqual([usual.stdout.split('\n').length - 1, usual.stderr], [100, '100 of 103\n'])
    const { stderr, stdout } = await desk.run(['task', 'list', '--limit', '20', '--json'])
    const { total, shown, data } = JSON.parse(stdout)
    assert.deepEqual([total, shown, data.length, stderr], [103, 20, 20, '20 of 103\n'])
    assert.equal((await desk.lines('task', 'list', '--all')).length, 103)
    assert.deepEqual(await titles('list', '--offset', '102', '--all'), ['Task 102'])
    const ready = await desk.run(['task', 'ready', '--limit', '1'])
    assert.equal(ready.stderr, '1 of 103\n')
    assert.equal((await desk.lines('task', 'ready', '--all')).length, 103)
    const quiet = await desk.run(['task', 'ready', '--limit', '1', '--quiet'])
    assert.deepEqual([quiet.stdout.split('\n').length, quiet.stderr], [2, ''])
  })

  test('passes over a task that can not be read, and names it; showing it is 1', async () => {
    const [bad, good] = [await desk.create('bad'), await desk.create('good')]
    await desk.truncate(bad.id)
    for (const command of ['list', 'ready']) {
      const { exit, stdout, stderr } = await desk.run(['task', command])
      assert.equal(exit, 0)
      assert.ok(stdout.startsWith(good.id) && !stdout.includes(bad.id))
      assert.match(stderr, new RegExp(`^coven: warning: The task ${bad.id} is corrupt: `))
    }
    const { exit, code } = await desk.refusal('task', 'show', bad.id)
    assert.deepEqual([exit, code], [1, 'corrupt'])
    assert.equal((await desk.refusal('task', 'show', '0')).code, 'ambiguous')
  })
})

describe('coven task ready', () => {
  test('lists what can be claimed, by priority and then by age', async () => {
    await desk.create('later', '--priority', '3')
    await desk.create('first', '--priority', '0')
    const parent = await desk.create('parent of active', '--priority', '0')
    await desk.claimed('active', '--parent', parent.id)
    await desk.create('second', '--priority', '0', '--type', 'bug')
    await desk.withStatus('blocked')
    assert.deepEqual(await titles('ready'), ['first', 'second', 'later'])
    assert.deepEqual(await titles('ready', '--type', 'bug'), ['second'])
    assert.deepEqual(await titles('ready', '--limit', '1', '--offset', '1'), ['second'])
  })
})

/** A root with two children, of which the first has two and the second one. */
async function family() {
  const root = await desk.create('root', '--type', 'epic')
  const [a, b] = [
    await desk.create('a', '--parent', root.id),
    await desk.create('b', '--parent', root.id, '--priority', '1', '--tags', 't'),
  ]
  const [a1, a2] = [
    await desk.create('a1', '--parent', a.id),
    await desk.create('a2', '--parent', a.id),
  ]
  const b1 = await desk.create('b1', '--parent', b.id)
  return { root, a, b, a1, a2, b1 }
}

describe('the tree', () => {
  test('subtree draws it', async () => {
    const { root, a, b, a1, a2, b1 } = await family()
    assert.deepEqual(await desk.lines('task', 'subtree', root.id), [
      `${root.id}  P2  open  epic  root`,
      `├── ${a.id}  P2  open  task  a`,
      `│   ├── ${a1.id}  P2  open  task  a1`,
      `│   └── ${a2.id}  P2  open  task  a2`,
      `└── ${b.id}  P1  open  task  b  [t]`,
      `    └── ${b1.id}  P2  open  task  b1`,
    ])
  })

  test('subtree --json nests it, --flat lists it', async () => {
    const { root, a, a1 } = await family()
    const { kind, data, total, shown } = await desk.json('task', 'subtree', root.id)
    assert.deepEqual([kind, total, shown], ['task.tree', 6, 6])
    assert.deepEqual([data.id, data.relative_depth, data.depth], [root.id, 0, 0])
    assert.deepEqual([data.children[0].id, data.children[0].relative_depth], [a.id, 1])
    assert.deepEqual(data.children[0].children[0].id, a1.id)
    const flat = await desk.json('task', 'subtree', root.id, '--flat')
    assert.deepEqual([flat.kind, flat.total, flat.shown], ['task.list', 6, 6])
    assert.deepEqual(
      flat.data.map(({ title, relative_depth }: Task & { relative_depth: number }) => [
        title,
        relative_depth,
      ]),
      [
        ['root', 0],
        ['a', 1],
        ['a1', 2],
        ['a2', 2],
        ['b', 1],
        ['b1', 2],
      ],
    )
    assert.ok(!('children' in flat.data[0]))
    const lines = await desk.lines('task', 'subtree', root.id, '--flat')
    assert.deepEqual(lines[1], `${a.id}  P2  open  task  a`)
  })

  test('subtree shows what is nearer to the top where not all is shown', async () => {
    const { root, a, b, a1 } = await family()
    const { stdout, stderr } = await desk.run(['task', 'subtree', root.id, '--limit', '4'])
    assert.equal(stderr, '4 of 6\n')
    assert.deepEqual(stdout.split('\n').slice(0, -1), [
      `${root.id}  P2  open  epic  root`,
      `├── ${a.id}  P2  open  task  a`,
      `│   ├── ${a1.id}  P2  open  task  a1`,
      '│   └── … 1 more',
      `└── ${b.id}  P1  open  task  b  [t]`,
      '    └── … 1 more',
    ])
    const { total, shown, data } = JSON.parse(
      (await desk.run(['task', 'subtree', root.id, '--limit', '2', '--json'])).stdout,
    )
    assert.deepEqual([total, shown, data.children.length], [6, 2, 1])
  })

  test('ancestors run from parent to root; children are in the order of their creation', async () => {
    const { root, a, b, b1 } = await family()
    const ids = async (...args: string[]) => (await listed(...args)).map(({ id }) => id)
    assert.deepEqual(await ids('ancestors', b1.id), [b.id, root.id])
    assert.deepEqual(await ids('ancestors', root.id), [])
    assert.deepEqual(await ids('children', root.id), [a.id, b.id])
    const { stderr } = await desk.run(['task', 'children', root.id, '--limit', '1'])
    assert.equal(stderr, '1 of 2\n')
    assert.deepEqual(await ids('children', root.id, '--offset', '1'), [b.id])
  })
})

describe('on a terminal', () => {
  const eyes = async (columns: number, ...args: string[]) => {
    const { stdout } = await desk.run(args, { isTerminal: true, columns })
    return stdout.split('\n').slice(0, -1)
  }

  test('ids are short, and long enough to be told apart', async () => {
    const [a, b] = [await desk.create('a'), await desk.create('b')]
    const [first = '', second = ''] = (await eyes(80, 'task', 'list')).map(
      (line) => line.split('  ')[0] as string,
    )
    assert.ok(first.length >= 13 && first.length < 36)
    assert.ok(a.id.startsWith(first) && b.id.startsWith(second) && first !== second)
    assert.equal((await desk.task('show', first)).title, 'a')
  })

  for (const columns of [40, 60, 80, 120, 200])
    test(`no line is wider than ${columns} columns`, async () => {
      const { default: widthOf } = await import('string-width')
      const long = '買い物に行く '.repeat(20)
      const { id } = await desk.create(long, '--tags', 'one,two,three,four/five/six,七八九')
      let parent = id
      for (let depth = 0; depth < 8; depth++)
        parent = (await desk.create(`${'x'.repeat(90)}`, '--parent', parent)).id
      await desk.claimed('short', '--agent-id', `an-agent-with-${'a'.repeat(90)}-long-name`)
      for (const args of [
        ['task', 'list'],
        ['task', 'subtree', id],
        ['task', 'subtree', id, '--flat'],
        ['task', 'history', parent],
      ])
        for (const line of await eyes(columns, ...args))
          assert.ok(widthOf(line) <= columns, `${widthOf(line)}: ${line}`)
      assert.ok((await desk.coven('task', 'list')).includes(long.trim()), 'a pipe gets everything')
    })

  test('titles and tags share what room there is', async () => {
    await desk.create(`A title of some length that does not fit ${'x'.repeat(30)}`, '--tags', 'a,b')
    await desk.create('Short', '--tags', 'docs')
    const lines = await eyes(80, 'task', 'list')
    assert.match(lines[0] as string, /A title of some .*… {2}\[a,b\]$/)
    assert.match(lines[1] as string, /Short +\[docs\]$/)
    assert.equal(lines[0]?.indexOf('[a,b]'), lines[1]?.indexOf('[docs]'))
  })
})
