import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import {
  parseQuery,
  type Status,
  statuses,
  type Task,
  TaskTree,
  versionOf,
} from '../../src/tree/internal.ts'
import { transitions } from '../../src/tree/status.ts'
import { refused } from './refused.ts'

const open = async () => new TaskTree(await openStore('memory:'))

/** A task in some status, claimed by "ann" where that is kept. */
async function taskIn(tree: TaskTree, status: Status): Promise<Task> {
  const { id } = await tree.create({ title: status })
  if (status === 'open') return tree.get(id)
  await tree.claim(id, 'ann')
  if (status === 'pending_merge') return tree.complete(id, 'ann')
  if (status === 'blocked') return tree.block(id, 'ann')
  if (status === 'closed') return tree.complete(id, 'ann', { skip_review: true })
  return tree.get(id)
}

type Run = (tree: TaskTree, id: string, by: string) => Promise<Task>
const verbs: Readonly<Record<string, { run: Run; from: Status; to: Status; owners?: true }>> = {
  complete: {
    run: (t, id, by) => t.complete(id, by),
    from: 'in_progress',
    to: 'pending_merge',
    owners: true,
  },
  'complete without review': {
    run: (t, id, by) => t.complete(id, by, { skip_review: true }),
    from: 'in_progress',
    to: 'closed',
    owners: true,
  },
  block: { run: (t, id, by) => t.block(id, by), from: 'in_progress', to: 'blocked', owners: true },
  release: { run: (t, id, by) => t.release(id, by), from: 'in_progress', to: 'open', owners: true },
  'release by force': {
    run: (t, id, by) => t.release(id, by, { force: true }),
    from: 'in_progress',
    to: 'open',
  },
  unblock: { run: (t, id, by) => t.unblock(id, by), from: 'blocked', to: 'open' },
  approve: { run: (t, id, by) => t.approve(id, by), from: 'pending_merge', to: 'closed' },
  reject: { run: (t, id, by) => t.reject(id, by), from: 'pending_merge', to: 'blocked' },
}

describe('every verb from every status', () => {
  for (const [name, { run, from, to, owners }] of Object.entries(verbs))
    test(`${name} leads from ${from} to ${to}, and from nowhere else`, async () => {
      const tree = await open()
      for (const status of statuses) {
        const before = await taskIn(tree, status)
        const by = owners ? 'ann' : 'bob'
        if (status === from) {
          const after = await run(tree, before.id, by)
          assert.equal(after.status, to)
          const isKept = to === 'pending_merge' || to === 'closed'
          assert.equal(after.claimed_by, isKept ? 'ann' : null)
          assert.equal(after.claimed_at === null, !isKept)
          continue
        }
        const details = {
          current_status: status,
          requested_status: to,
          valid_transitions: transitions[status],
        }
        await assert.rejects(run(tree, before.id, by), refused('INVALID_TRANSITION', details))
        assert.deepEqual(await tree.get(before.id), before)
      }
    })

  for (const [name, { run, owners }] of Object.entries(verbs))
    if (owners)
      test(`${name} is the claimer's alone, which counts before the status`, async () => {
        const tree = await open()
        for (const status of ['in_progress', 'pending_merge', 'closed'] as const) {
          const { id } = await taskIn(tree, status)
          const isRefused = refused('NOT_CLAIM_OWNER', { claimed_by: 'ann' })
          await assert.rejects(run(tree, id, 'bob'), isRefused)
        }
      })

  test('claim leads from open to in_progress; what is in progress is ALREADY_CLAIMED, also by oneself', async () => {
    const tree = await open()
    for (const status of statuses) {
      const { id, claimed_at } = await taskIn(tree, status)
      if (status === 'open') {
        const { claimed_by, status: after } = await tree.claim(id, 'ann')
        assert.deepEqual([claimed_by, after], ['ann', 'in_progress'])
      } else if (status === 'in_progress') {
        const isRefused = refused('ALREADY_CLAIMED', { claimed_by: 'ann', claimed_at })
        for (const by of ['ann', 'bob']) await assert.rejects(tree.claim(id, by), isRefused)
      } else await assert.rejects(tree.claim(id, 'bob'), refused('NOT_CLAIMABLE', { status }))
    }
  })

  test('reclaim changes nothing: it is for the claimer of what is in progress', async () => {
    const tree = await open()
    for (const status of statuses) {
      const task = await taskIn(tree, status)
      if (status === 'in_progress') {
        assert.deepEqual(await tree.reclaim(task.id, 'ann'), task)
        await assert.rejects(tree.reclaim(task.id, 'bob'), refused('ALREADY_CLAIMED'))
      } else
        await assert.rejects(tree.reclaim(task.id, 'ann'), refused('NOT_CLAIMABLE', { status }))
    }
  })
})

describe('setStatus runs the verb that makes the move', () => {
  test('every move of the table, and the same status again', async () => {
    const tree = await open()
    for (const from of statuses)
      for (const to of statuses) {
        const before = await taskIn(tree, from)
        if (from === to) assert.deepEqual(await tree.setStatus(before.id, to, 'ann'), before)
        else if (transitions[from].includes(to))
          assert.equal((await tree.setStatus(before.id, to, 'ann')).status, to, `${from} → ${to}`)
        else {
          const code = to === 'in_progress' ? 'NOT_CLAIMABLE' : 'INVALID_TRANSITION'
          await assert.rejects(tree.setStatus(before.id, to, 'ann'), refused(code))
        }
      }
  })

  test('unless mayChange throws, which hears of the task before the version counts', async () => {
    const tree = await open()
    for (const to of ['open', 'in_progress'] as const) {
      const { id } = await taskIn(tree, 'blocked')
      const mayChange = ({ status }: { status: Status }) => {
        throw new RangeError(status)
      }
      const change = tree.setStatus(id, to, { agent: 'ann', version: 1_000, mayChange })
      await assert.rejects(change, { name: 'RangeError', message: 'blocked' })
      assert.equal((await tree.get(id)).status, 'blocked')
    }
  })

  test('under the same owner rules', async () => {
    const tree = await open()
    for (const to of ['open', 'pending_merge', 'blocked', 'closed'] as const) {
      const { id } = await taskIn(tree, 'in_progress')
      await assert.rejects(tree.setStatus(id, to, 'bob'), refused('NOT_CLAIM_OWNER'))
    }
    const { id } = await taskIn(tree, 'pending_merge')
    assert.equal((await tree.setStatus(id, 'closed', 'bob')).status, 'closed')
    await assert.rejects(tree.setStatus(id, 'done' as Status), refused('INVALID_STATUS'))
  })

  test('a move that no verb makes is INVALID_TRANSITION, whoever asks', async () => {
    const tree = await open()
    for (const from of ['pending_merge', 'closed'] as const)
      for (const to of statuses) {
        if (to === from || to === 'in_progress' || transitions[from].includes(to)) continue
        const { id } = await taskIn(tree, from)
        const details = {
          current_status: from,
          requested_status: to,
          valid_transitions: transitions[from],
        }
        for (const by of ['ann', 'bob'])
          await assert.rejects(tree.setStatus(id, to, by), refused('INVALID_TRANSITION', details))
      }
  })

  test('in_progress is a claim: the reason is kept, and a version that has passed is refused', async () => {
    const tree = await open()
    const { id } = await tree.create({ title: 'a' })
    const claimed = await tree.setStatus(id, 'in_progress', 'ann', { reason: 'urgent' })
    assert.deepEqual([claimed.status, claimed.claimed_by], ['in_progress', 'ann'])
    const [entry] = await tree.history(id, { field: 'status' })
    assert.equal(entry?.reason, 'urgent')
    const again = await tree.setStatus(id, 'in_progress', { agent: 'ann', version: 1 })
    assert.deepEqual([again, versionOf(again)], [claimed, 1])
    const late = tree.setStatus(id, 'in_progress', { agent: 'ann', version: 0 })
    await assert.rejects(late, refused('PRECONDITION_FAILED'))
  })
})

describe('what is told', () => {
  const told = (running: Promise<unknown>): Promise<string> =>
    running.then(
      () => assert.fail('It was not refused.'),
      (error: Error) => error.message,
    )

  test('which verbs lead on from a status, so that a refused verb is never among what is possible', async () => {
    const tree = await open()
    const [pending, blocked] = [await taskIn(tree, 'pending_merge'), await taskIn(tree, 'blocked')]
    assert.equal(
      await told(tree.block(pending.id, 'ann')),
      'invalid transition from pending_merge to blocked. From pending_merge a task goes to closed (approve) or blocked (reject).',
    )
    assert.equal(
      await told(tree.approve(blocked.id)),
      'invalid transition from blocked to closed. From blocked a task goes to open (unblock) or closed (close).',
    )
  })

  test('as sentences, with what to do next', async () => {
    const tree = await open()
    const unknown = '01890000-0000-7000-8000-000000000000'
    assert.equal(
      await told(tree.get(unknown)),
      `task not found: ${unknown}. List the tasks to see their ids.`,
    )
  })
})

describe('what can never be right is refused by its code, and nothing is stored', () => {
  const bad: readonly [name: string, given: unknown, code: string][] = [
    ['no object', 'x', 'INVALID_BODY'],
    ['no title', {}, 'INVALID_BODY'],
    ['an empty title', { title: ' ' }, 'INVALID_BODY'],
    ['a title of two lines', { title: 'a\nb' }, 'INVALID_BODY'],
    ['a title of 501 characters', { title: 'x'.repeat(501) }, 'INVALID_BODY'],
    ['a body over 64 KiB', { title: 'a', body: 'x'.repeat(65_537) }, 'INVALID_BODY'],
    ['a body that is a number', { title: 'a', body: 1 }, 'INVALID_BODY'],
    ['an unknown field', { title: 'a', status: 'closed' }, 'INVALID_BODY'],
    ['a prototype key', JSON.parse('{"title":"a","__proto__":{}}'), 'INVALID_BODY'],
    ['priority 7', { title: 'a', priority: 7 }, 'INVALID_PRIORITY'],
    ['priority 1.5', { title: 'a', priority: 1.5 }, 'INVALID_PRIORITY'],
    ['priority "2"', { title: 'a', priority: '2' }, 'INVALID_PRIORITY'],
    ['an unknown type', { title: 'a', type: 'chore' }, 'INVALID_TYPE'],
    ['tags that are no list', { title: 'a', tags: 'x' }, 'INVALID_TAG'],
    ['an empty tag', { title: 'a', tags: ['x', ' '] }, 'INVALID_TAG'],
    ['a tag with a comma', { title: 'a', tags: ['x,y'] }, 'INVALID_TAG'],
    ['a tag of 65 characters', { title: 'a', tags: ['x'.repeat(65)] }, 'INVALID_TAG'],
    ['a malformed parent', { title: 'a', parent_id: '../x' }, 'PARENT_NOT_FOUND'],
    [
      'an unknown parent',
      { title: 'a', parent_id: '01890000-0000-7000-8000-000000000000' },
      'PARENT_NOT_FOUND',
    ],
  ]
  for (const [name, given, code] of bad)
    test(`${name}: ${code}`, async () => {
      const tree = await open()
      await assert.rejects(tree.create(given as { title: string }), refused(code))
      assert.equal((await tree.list()).total, 0)
    })

  test('a patch of anything but title, body, type, priority and hint is INVALID_BODY', async () => {
    const tree = await open()
    const task = await tree.create({ title: 'a' })
    for (const field of ['id', 'created_at', 'depth', 'status', 'claimed_by', 'tags', 'x'])
      await assert.rejects(tree.update(task.id, { [field]: 'x' }), refused('INVALID_BODY'))
    assert.deepEqual(await tree.get(task.id), task)
  })

  test('ids that are none are INVALID_ID, unknown ones TASK_NOT_FOUND', async () => {
    const tree = await open()
    for (const id of ['', 'x', '../..', 'a/b', '.', `${'0'.repeat(36)}`])
      await assert.rejects(tree.get(id), refused('INVALID_ID'))
    const unknown = '01890000-0000-7000-8000-000000000000'
    await assert.rejects(tree.get(unknown), refused('TASK_NOT_FOUND'))
    await assert.rejects(tree.createSubtask(unknown, { title: 'a' }), refused('TASK_NOT_FOUND'))
  })

  test('nobody can claim without a name', async () => {
    const tree = await open()
    const { id } = await tree.create({ title: 'a' })
    for (const agent of ['', '  ', 'a\nb', 'x'.repeat(201)])
      await assert.rejects(tree.claim(id, agent), refused('MISSING_AGENT'))
  })

  test('queries with unknown words, empty values and bad numbers are INVALID_QUERY', async () => {
    const tree = await open()
    for (const query of [
      { status: 'done' },
      { status: 'open,' },
      { priority: '5' },
      { priority: 'high' },
      { type: 'x' },
      { parent_id: 'x' },
      { tag_pattern: '[a' },
      { tag_pattern: '{a' },
      { include_deleted: 'yes' },
      { limit: '0' },
      { limit: '1001' },
      { limit: '-1' },
      { offset: 'x' },
      { colour: 'red' },
    ] as Record<string, string>[])
      await assert.rejects(
        async () => tree.list(parseQuery(query)),
        refused('INVALID_QUERY'),
        JSON.stringify(query),
      )
  })
})
