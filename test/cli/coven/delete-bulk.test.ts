import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { cleanUp, type Desk, memoryDesk, nobody } from './desk.ts'

cleanUp()

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

describe('coven task delete', () => {
  test('takes all below it, and says how many', async () => {
    const root = await desk.create('root')
    const child = await desk.create('child', '--parent', root.id)
    await desk.create('grandchild', '--parent', child.id)
    assert.equal(
      await desk.coven('task', 'delete', root.id),
      `Deleted task ${root.id} (and 2 children)\n`,
    )
    assert.equal((await desk.refusal('task', 'show', child.id)).exit, 10)
    assert.equal((await desk.refusal('task', 'delete', root.id)).exit, 10)
  })

  test('answers with what is gone', async () => {
    const root = await desk.create('root')
    const child = await desk.create('child', '--parent', root.id)
    const { kind, data } = await desk.json('task', 'delete', root.id.slice(0, 30))
    assert.deepEqual([kind, data], ['task', { ...root, descendants: [child.id] }])
    const other = await desk.create('leaf')
    assert.equal(
      await desk.coven('task', 'delete', other.id),
      `Deleted task ${other.id} (and 0 children)\n`,
    )
  })

  for (const status of ['in_progress', 'pending_merge'])
    test(`of what is ${status}, or has such a task below it, is 11`, async () => {
      const root = await desk.create('root')
      const { id } = await desk.withStatus(status)
      await desk.coven('task', 'reparent', id, root.id)
      const own = await desk.refusal('task', 'delete', id)
      assert.deepEqual(
        [own.exit, own.code, own.message],
        [11, 'refused', `task ${id} is active (status: ${status})`],
      )
      const above = await desk.refusal('task', 'delete', root.id)
      assert.deepEqual(
        [above.exit, above.code, above.message],
        [11, 'refused', `task ${root.id} has active children, ${id} among them`],
      )
    })

  test('of what can not be read needs the whole id', async () => {
    const { id } = await desk.create('bad')
    await desk.truncate(id)
    assert.equal((await desk.refusal('task', 'delete', id.slice(0, 20))).exit, 1)
    assert.equal(await desk.coven('task', 'delete', id), `Deleted task ${id} (and 0 children)\n`)
    assert.equal((await desk.refusal('task', 'show', id)).exit, 10)
  })

  const asked = (args: readonly string[], stdin: string) =>
    desk.run(args, { isTerminal: true, stdin })

  test('asks on a terminal, and only there', async () => {
    const root = await desk.create('root')
    await desk.create('child', '--parent', root.id)
    const question = `Delete task ${root.id} "root" and the 1 below it? [y/N] `
    for (const answer of ['n\n', '\n', '', 'nonsense\n', 'yesterday\n']) {
      const { exit, stdout, stderr } = await asked(['task', 'delete', root.id], answer)
      assert.deepEqual([exit, stdout, stderr], [6, question, 'coven: Nothing was deleted.\n'])
    }
    const { exit, stdout } = await asked(['task', 'delete', root.id], 'Yes\n')
    const line = `Deleted task ${root.id} (and 1 children)\n`
    assert.deepEqual([exit, stdout], [0, question + line])
  })

  test('does not ask with --yes or --json', async () => {
    for (const flag of ['--yes', '-y', '--json']) {
      const { id } = await desk.create('x')
      const { exit, stdout } = await desk.run(['task', 'delete', id, flag], { isTerminal: true })
      assert.deepEqual([exit, stdout.includes('[y/N]')], [0, false])
    }
  })

  test('a hostile title does no harm in the question', async () => {
    const { id } = await desk.create('harmless')
    await desk.withStore(async (store) => {
      const { update } = await import('../../../src/store/index.ts')
      const entry = (await store.get(`coven/tasks/${id}`)) as NonNullable<
        Awaited<ReturnType<typeof store.get>>
      >
      const text = Buffer.from(entry.value).toString().replace('harmless', 'a\\u001b[2Jb\\u009b')
      await store.commit([update(entry, Buffer.from(text))])
    })
    const { stdout } = await asked(['task', 'delete', id], 'n\n')
    assert.ok(stdout.includes('"a\\x1b[2Jb\\x9b"'), stdout)
    assert.ok((await desk.coven('task', 'list')).includes('a\\x1b[2Jb\\x9b'))
    assert.ok((await desk.coven('task', 'show', id)).includes('a\\x1b[2Jb\\x9b'))
    assert.ok((await desk.coven('task', 'subtree', id)).includes('a\\x1b[2Jb\\x9b'))
  })
})

describe('coven task bulk', () => {
  test('of two reviewers, the second is told that it was closed, as JSON too', async () => {
    const { id } = await desk.withStatus('pending_merge')
    const close = ['task', 'update', id, '--status', 'closed']
    assert.equal('changed' in (await desk.json(...close)), false)
    const bob = desk.as('bob')
    assert.equal((await bob.json(...close)).changed, false)
    assert.deepEqual((await bob.json('task', 'bulk', 'close', id)).data, [
      { id, success: true, changed: false },
    ])
    assert.deepEqual((await bob.json('task', 'bulk', 'priority', '0', id)).data, [
      { id, success: true },
    ])
    const tagged = ['task', 'tag', 'add', id, 'a']
    assert.deepEqual(
      [(await desk.json(...tagged)).changed, (await desk.json(...tagged)).changed],
      [undefined, false],
    )
  })

  test('close answers for each id, unknown ones included, with the code of the first failure', async () => {
    const blocked = await desk.withStatus('blocked')
    const open = await desk.create('open')
    const pending = await desk.withStatus('pending_merge')
    const closed = await desk.withStatus('closed')
    const ids = [blocked.id, open.id, nobody, pending.id, closed.id, blocked.id]
    const { exit, stdout, stderr } = await desk.run(['task', 'bulk', 'close', ...ids])
    assert.equal(exit, 11)
    assert.equal(
      stdout,
      [
        `Closed task ${blocked.id}`,
        `Closed task ${pending.id}`,
        `Task ${closed.id} is already closed`,
        '',
      ].join('\n'),
    )
    assert.deepEqual(stderr.split('\n'), [
      `Error: ${open.id}: invalid transition from open to closed. From open a task goes to in_progress (claim).`,
      `Error: ${nobody}: task not found: ${nobody}. List the tasks to see their ids.`,
      '',
    ])
  })

  test('--json answers with a list', async () => {
    const { id } = await desk.withStatus('blocked')
    const { exit, stdout, stderr } = await desk.run(['task', 'bulk', 'close', nobody, id, '--json'])
    const { v, kind, data, total, shown } = JSON.parse(stdout)
    assert.deepEqual([exit, stderr, v, kind, total, shown], [10, '', 1, 'result.list', 2, 2])
    assert.deepEqual(data, [
      {
        id: nobody,
        success: false,
        error: {
          code: 'not_found',
          message: `task not found: ${nobody}`,
          next: 'List the tasks to see their ids.',
        },
      },
      { id, success: true },
    ])
  })

  test('close is the claimer’s, and takes a reason', async () => {
    const { id } = await desk.claimed()
    const other = await desk.as('bob').run(['task', 'bulk', 'close', id])
    assert.deepEqual(
      [other.exit, other.stdout, other.stderr],
      [13, '', `Error: ${id}: not claim owner (claimed by ann)\n`],
    )
    await desk.coven('task', 'bulk', 'close', id, '--reason', 'enough')
    const [entry] = (await desk.json('task', 'history', id)).data
    assert.deepEqual([entry.new_value, entry.reason], ['closed', 'enough'])
  })

  test('delete takes parent and child in any order', async () => {
    const parent = await desk.create('parent')
    const child = await desk.create('child', '--parent', parent.id)
    const { exit, stdout } = await desk.run(['task', 'bulk', 'delete', parent.id, child.id])
    assert.deepEqual([exit, stdout], [0, `Deleted task ${parent.id}\nDeleted task ${child.id}\n`])
    const active = await desk.claimed()
    assert.equal((await desk.run(['task', 'bulk', 'delete', active.id])).exit, 11)
  })

  test('delete asks on a terminal', async () => {
    const { id } = await desk.create('x')
    const args = ['task', 'bulk', 'delete', id, nobody]
    const no = await desk.run(args, { isTerminal: true, stdin: 'n\n' })
    assert.deepEqual([no.exit, no.stdout], [6, 'Delete 2 tasks and all below them? [y/N] '])
    assert.equal((await desk.task('show', id)).id, id)
    assert.equal((await desk.run([...args, '-y'], { isTerminal: true })).exit, 10)
  })

  test('delete takes what can not be read by its whole id alone', async () => {
    const { id } = await desk.create('bad')
    await desk.truncate(id)
    const short = await desk.run(['task', 'bulk', 'delete', id.slice(0, 20)])
    assert.deepEqual([short.exit, short.stdout], [1, ''])
    const { exit, stdout } = await desk.run(['task', 'bulk', 'delete', id])
    assert.deepEqual([exit, stdout], [0, `Deleted task ${id}\n`])
  })

  test('tag adds, by an option or the first word, and with --remove takes away', async () => {
    const [a, b] = [await desk.create('a', '--tags', 'x'), await desk.create('b')]
    const ids = [a.id, b.id]
    assert.equal(
      await desk.coven('task', 'bulk', 'tag', 'x,y', ...ids),
      `Tagged task ${a.id}\nTagged task ${b.id}\n`,
    )
    assert.deepEqual((await desk.task('show', b.id)).tags, ['x', 'y'])
    assert.equal(
      await desk.coven('task', 'bulk', 'tag', '--remove', 'x', ...ids),
      `Untagged task ${a.id}\nUntagged task ${b.id}\n`,
    )
    assert.deepEqual((await desk.task('show', a.id)).tags, ['y'])
    for (const option of ['--add', '--tags'])
      await desk.coven('task', 'bulk', 'tag', option, option, a.id)
    assert.deepEqual((await desk.task('show', a.id)).tags, ['y', '--add', '--tags'])
  })

  test('priority sets it', async () => {
    const [a, b] = [await desk.create('a'), await desk.create('b')]
    assert.equal(
      await desk.coven('task', 'bulk', 'priority', '0', a.id.slice(0, 30), b.id),
      `Set task ${a.id} to priority 0\nSet task ${b.id} to priority 0\n`,
    )
    assert.equal((await desk.task('show', a.id)).priority, 0)
    await desk.coven('task', 'bulk', 'priority', '--priority', '3', a.id)
    assert.equal((await desk.task('show', a.id)).priority, 3)
  })

  test('an ambiguous id is answered for, and the others go through', async () => {
    const [a, b] = [await desk.create('a'), await desk.create('b')]
    const { exit, stdout } = await desk.run(['task', 'bulk', 'priority', '1', '0', b.id])
    assert.deepEqual([exit, stdout], [5, `Set task ${b.id} to priority 1\n`])
    assert.equal((await desk.task('show', a.id)).priority, 2)
  })
})
