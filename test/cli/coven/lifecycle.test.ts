import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { cleanUp, type Desk, memoryDesk, nobody } from './desk.ts'

cleanUp()

let desk: Desk
let bob: Desk
beforeEach(() => {
  desk = memoryDesk()
  bob = desk.as('bob')
})

describe('what each verb says', () => {
  test('claim', async () => {
    const { id } = await desk.create('Work')
    const { exit, stdout, stderr } = await desk.run(['task', 'claim', id])
    assert.deepEqual([exit, stdout], [0, `Claimed task ${id}\n`])
    assert.equal(stderr, 'coven: grimoire: implement-bead\n')
    const task = await desk.task('show', id)
    assert.deepEqual([task.status, task.claimed_by], ['in_progress', 'ann'])
    assert.equal(task.grimoire, 'implement-bead')
  })

  test('claim with tags, in the same change', async () => {
    const { id } = await desk.create('Work', '--tags', 'a')
    const task = await desk.task('claim', id, '--tags', 'b, c', '--tags', 'a')
    assert.deepEqual(task.tags, ['a', 'b', 'c'])
    const { data } = await desk.json('task', 'history', id)
    const claiming = data.filter(({ field }: { field: string }) => field !== 'created_by')
    assert.equal(new Set(claiming.map((entry: { changed_at: string }) => entry.changed_at)).size, 1)
  })

  test('reclaim, which changes nothing', async () => {
    const { id, claimed_at, updated_at } = await desk.claimed()
    assert.equal(await desk.coven('task', 'reclaim', id), `Reclaimed task ${id}\n`)
    const task = await desk.task('reclaim', id)
    assert.deepEqual([task.claimed_at, task.updated_at], [claimed_at, updated_at])
  })

  test('release', async () => {
    const { id } = await desk.claimed()
    assert.equal(await desk.coven('task', 'release', id), `Released task ${id}\n`)
    const task = await desk.task('show', id)
    assert.deepEqual([task.status, task.claimed_by, task.claimed_at], ['open', null, null])
  })

  test('release --force of what another has claimed', async () => {
    const { id } = await desk.claimed()
    assert.equal(await bob.coven('task', 'release', '--force', id), `Released task ${id}\n`)
  })

  test('complete, and complete --skip-review', async () => {
    const [first, second] = [await desk.claimed(), await desk.claimed()]
    assert.equal(
      await desk.coven('task', 'complete', first.id, '--summary', 'did it'),
      `Completed task ${first.id} (status: pending_merge)\n`,
    )
    assert.equal(
      await desk.coven('task', 'complete', second.id, '--skip-review'),
      `Completed task ${second.id} (status: closed)\n`,
    )
    assert.equal((await desk.task('show', first.id)).claimed_by, 'ann')
    const [entry] = (await desk.json('task', 'history', first.id)).data
    assert.deepEqual([entry.field, entry.summary], ['status', 'did it'])
  })

  test('block and unblock', async () => {
    const { id } = await desk.claimed()
    assert.equal(
      await desk.coven('task', 'block', id, '--reason', 'no key'),
      `Blocked task ${id} (status: blocked)\n`,
    )
    assert.equal((await desk.task('show', id)).claimed_by, null)
    const line = `Unblocked task ${id} (status: open)\n`
    assert.equal(await desk.as(null).coven('task', 'unblock', id), line)
    const { data } = await desk.json('task', 'history', id, '--field', 'status')
    assert.deepEqual(
      data.map((entry: Record<string, string>) => [entry['changed_by'], entry['reason']]),
      [
        ['user', undefined],
        ['ann', 'no key'],
        ['ann', undefined],
      ],
    )
  })

  test('approve and reject', async () => {
    const [first, second] = [
      await desk.withStatus('pending_merge'),
      await desk.withStatus('pending_merge'),
    ]
    assert.equal(
      await desk.coven('task', 'approve', first.id),
      `Approved task ${first.id} (status: closed)\n`,
    )
    assert.equal(
      await desk.coven('task', 'reject', second.id, '--reason', 'tests fail'),
      `Rejected task ${second.id} (status: blocked)\n`,
    )
  })

  test('a reason or a summary may come from stdin', async () => {
    const { id } = await desk.claimed()
    await desk.run(['task', 'block', id, '--reason', '-'], { stdin: 'a `key`\nis missing\n' })
    const [entry] = (await desk.json('task', 'history', id)).data
    assert.equal(entry.reason, 'a `key`\nis missing')
  })

  test('with --quiet nothing, with --json the task', async () => {
    const { id } = await desk.create('Work')
    const quiet = await desk.run(['task', 'claim', id, '--quiet'])
    assert.deepEqual(quiet, { exit: 0, stdout: '', stderr: '' })
    const { v, kind, data, total } = await desk.json('task', 'release', id, '--quiet')
    assert.deepEqual([v, kind, data.id, total], [1, 'task', id, undefined])
  })
})

describe('what each verb refuses', () => {
  test('claiming what is claimed: 12, also by the same agent', async () => {
    const { id } = await desk.claimed()
    for (const each of [desk, bob]) {
      const { exit, line, code } = await each.refusal('task', 'claim', id)
      assert.deepEqual([exit, line, code], [12, 'Error: task already claimed by ann', 'conflict'])
    }
  })

  for (const status of ['blocked', 'pending_merge', 'closed'])
    test(`claiming what is ${status}: 12`, async () => {
      const { id } = await desk.withStatus(status)
      const { exit, line, code } = await desk.refusal('task', 'claim', id)
      assert.deepEqual(
        [exit, line, code],
        [12, `Error: task is not claimable (status: ${status})`, 'conflict'],
      )
    })

  test("reclaiming another's: 12; what is not in progress: 12", async () => {
    const { id } = await desk.claimed()
    assert.equal((await bob.refusal('task', 'reclaim', id)).exit, 12)
    const other = await desk.create('Open')
    assert.equal((await desk.refusal('task', 'reclaim', other.id)).exit, 12)
  })

  for (const verb of ['release', 'complete', 'block'])
    test(`${verb} of another's: 13`, async () => {
      const { id } = await desk.claimed()
      const { exit, line, code } = await bob.refusal('task', verb, id)
      assert.deepEqual(
        [exit, line, code],
        [13, 'Error: not claim owner (claimed by ann)', 'not_owner'],
      )
    })

  const wrong: readonly [verb: string, status: string, to: string][] = [
    ['release', 'open', 'open'],
    ['complete', 'open', 'pending_merge'],
    ['block', 'open', 'blocked'],
    ['unblock', 'open', 'open'],
    ['approve', 'open', 'closed'],
    ['reject', 'in_progress', 'blocked'],
    ['complete', 'pending_merge', 'pending_merge'],
    ['approve', 'closed', 'closed'],
    ['unblock', 'closed', 'open'],
  ]
  for (const [verb, status, to] of wrong)
    test(`${verb} of what is ${status}: 11`, async () => {
      const { id } = await desk.withStatus(status)
      const { exit, message, code } = await desk.refusal('task', verb, id)
      assert.deepEqual(
        [exit, message, code],
        [11, `invalid transition from ${status} to ${to}`, 'refused'],
      )
    })

  for (const verb of [
    'show',
    'update',
    'delete',
    'claim',
    'reclaim',
    'release',
    'complete',
    'block',
    'unblock',
    'approve',
    'reject',
    'restore',
    'subtree',
    'ancestors',
    'children',
    'history',
  ])
    test(`${verb} of nobody: 10`, async () => {
      await desk.create('Somebody')
      const also = verb === 'update' ? ['--title', 'x'] : []
      const { exit, code, message } = await desk.refusal('task', verb, nobody, ...also)
      assert.deepEqual([exit, code, message], [10, 'not_found', `task not found: ${nobody}`])
      const short = await desk.refusal('task', verb, nobody.slice(0, 9), ...also)
      assert.deepEqual([short.exit, short.code], [10, 'not_found'])
    })

  test('nothing is changed by any of it', async () => {
    const { id } = await desk.claimed()
    const before = await desk.contents()
    for (const verb of ['claim', 'release', 'complete', 'block', 'unblock', 'approve', 'delete'])
      assert.notEqual((await bob.run(['task', verb, id])).exit, 0)
    assert.deepEqual(await desk.contents(), before)
  })
})

describe('the agent', () => {
  for (const verb of ['claim', 'reclaim', 'release', 'complete', 'block'])
    test(`${verb} needs one: 2`, async () => {
      const { id } = await desk.create('Work')
      const { exit, code, line } = await desk.as(null).refusal('task', verb, id)
      assert.deepEqual([exit, code], [2, 'invalid'])
      assert.match(line, /which agent asks\. Give --agent-id AGENT, or set COVEN_AGENT_ID\./)
    })

  test('is that of the flag before that of the environment; an empty variable is none', async () => {
    const { id } = await desk.create('Work')
    assert.equal((await desk.task('claim', id, '--agent-id', 'carl')).claimed_by, 'carl')
    const { exit } = await desk.run(['task', 'release', id], { env: { COVEN_AGENT_ID: '' } })
    assert.equal(exit, 2)
  })

  for (const agent of ['', '  ', 'a\u0007b', 'x'.repeat(201)])
    test(`${JSON.stringify(agent.slice(0, 8))} is none: 2`, async () => {
      const { id } = await desk.create('Work')
      assert.equal((await desk.refusal('task', 'claim', id, '--agent-id', agent)).exit, 2)
    })

  test('is user where none is needed', async () => {
    const { id } = await desk.create('Work')
    await desk.as(null).coven('task', 'update', id, '--priority', '0')
    const [entry] = (await desk.json('task', 'history', id)).data
    assert.equal(entry.changed_by, 'user')
  })
})
