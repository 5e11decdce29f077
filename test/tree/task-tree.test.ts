import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import {
  parseQuery,
  type Task,
  type TaskNode,
  TaskTree,
  type TreeError,
} from '../../src/tree/internal.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertLayout } from './layout.ts'
import { refused } from './refused.ts'

const titles = (tasks: readonly Task[]) => tasks.map(({ title }) => title)
const outline = ({ title, children }: TaskNode): string =>
  children.length === 0 ? title : `${title}(${children.map(outline).join(' ')})`

onEveryStore('a tree', { check: assertLayout }, (ground) => {
  const tree = () =>
    new TaskTree(ground.store, { selectGrimoire: ({ tags }) => tags[0] ?? 'usual' })

  /** root with two branches, one of them two levels deep. */
  async function planted() {
    const t = tree()
    const root = await t.create({ title: 'root', type: 'epic', grimoire_hint: 'h' })
    const left = await t.createSubtask(root.id, { title: 'left', priority: 1 })
    const right = await t.create({ title: 'right', parent_id: root.id, tags: ['x', 'y'] })
    const leaf = await t.create({ title: 'leaf', parent_id: left.id, priority: 0, tags: ['y'] })
    return { t, root: root.id, left: left.id, right: right.id, leaf: leaf.id }
  }

  test('a task has the documented fields, null where empty; a subtask inherits the hint', async () => {
    const t = tree()
    const root = await t.create({ title: ' Root ', grimoire_hint: 'audit' })
    assert.deepEqual(Object.keys(root), [
      'id',
      'parent_id',
      'depth',
      ...['title', 'body', 'type', 'priority', 'tags', 'grimoire_hint'],
      ...['status', 'claimed_by', 'claimed_at', 'grimoire'],
      ...['created_at', 'updated_at', 'deleted_at'],
    ])
    expect(root).toMatchObject({ title: 'Root', body: null, type: 'task', priority: 2, depth: 0 })
    const child = await t.createSubtask(root.id, { title: 'Child', body: 'words', type: 'bug' })
    expect(child).toMatchObject({ parent_id: root.id, depth: 1, grimoire_hint: 'audit' })
    const own = await t.createSubtask(root.id, { title: 'Own', grimoire_hint: null })
    assert.equal(own.grimoire_hint, null)
    assert.deepEqual(await t.get(child.id), child)
    assert.deepEqual(titles(await t.children(root.id)), ['Child', 'Own'])
    assert.equal(await t.resolve(child.id.slice(0, 36)), child.id)
  })

  test('update changes what is given; the history tells it field by field, the newest first', async () => {
    const t = tree()
    const { id } = await t.create({ title: 'a' }, 'ann')
    await t.update(id, { title: 'b', priority: 0, body: 'long' }, 'bob')
    await t.update(id, { title: 'b' }, 'bob')
    await t.update(id, { body: null })
    await t.setTags(id, ['p', 'q'], 'cy')
    const history = await t.history(id)
    assert.deepEqual(
      history.map(({ field, old_value, new_value, changed_by }) =>
        [field, old_value, new_value, changed_by].join('|'),
      ),
      [
        ...[
          'tags||p,q|cy',
          'body|long||user',
          'title|a|b|bob',
          'body||long|bob',
          'priority|2|0|bob',
        ],
        'created_by||ann|ann',
      ],
    )
    assert.ok(history.every(({ task_id }) => task_id === id))
    assert.equal((await t.history(id, { field: 'body' })).length, 2)
    const since = history[0]?.changed_at as string
    assert.ok((await t.history(id, { since })).length >= 1)
    assert.deepEqual(await t.history(id, { since: '2999-01-01T00:00:00Z' }), [])
    await assert.rejects(t.history(id, { field: 'x' }), refused('INVALID_QUERY'))
  })

  test('claim with tags is one change: status, claimer, tags and grimoire', async () => {
    const { t, leaf } = await planted()
    const claimed = await t.claim(leaf, 'ann', { tags: ['new', 'y'] })
    expect(claimed).toMatchObject({
      status: 'in_progress',
      claimed_by: 'ann',
      tags: ['y', 'new'],
      grimoire: 'y',
      depth: 2,
    })
    const fields = (await t.history(leaf)).map(({ field }) => field)
    assert.deepEqual(fields.sort(), ['claimed_by', 'created_by', 'grimoire', 'status', 'tags'])
    await assert.rejects(t.claim(leaf, 'bob', { tags: ['z'] }), refused('ALREADY_CLAIMED'))
    await t.block(leaf, 'ann', { reason: 'no key' })
    const [status] = await t.history(leaf, { field: 'status' })
    assert.equal(status?.reason, 'no key')
  })

  test('tags: added, set and removed; duplicates merge, a bad one adds nothing', async () => {
    const { t, right } = await planted()
    assert.deepEqual((await t.addTags(right, [' z ', 'x', 'Area/a b'])).tags, [
      'x',
      'y',
      'z',
      'Area/a b',
    ])
    await assert.rejects(t.addTags(right, ['fine', '']), refused('INVALID_TAG'))
    assert.deepEqual((await t.removeTags(right, ['x', 'none'])).tags, ['y', 'z', 'Area/a b'])
    assert.deepEqual((await t.setTags(right, ['only'])).tags, ['only'])
  })

  test('prepare makes a tree of an empty store, and leaves one as it is', async () => {
    const [t, { store }] = [tree(), ground]
    await t.prepare()
    const entry = await store.get('coven/meta/structure')
    assert.ok(entry)
    await t.prepare()
    assert.equal((await store.get('coven/meta/structure'))?.revision, entry.revision)
    assert.equal((await t.list()).total, 0)
  })

  test('ready: what somebody can start now, by priority, then by creation', async () => {
    const { t, root, left, right, leaf } = await planted()
    const ready = async () => titles((await t.ready()).tasks)
    assert.deepEqual(await ready(), ['leaf', 'right'])
    await t.claim(leaf, 'ann')
    assert.deepEqual(await ready(), ['right'])
    await t.complete(leaf, 'ann')
    assert.deepEqual(await ready(), ['right'])
    await t.reparent(leaf, null)
    assert.deepEqual(await ready(), ['left', 'right'])
    await t.reparent(leaf, left)
    await t.approve(leaf)
    assert.deepEqual(await ready(), ['left', 'right'])
    const page = await t.ready({ limit: 1, offset: 1 }, { withTotal: true })
    assert.deepEqual([titles(page.tasks), page.total, page.hasMore], [['right'], 2, false])
    const tagged = await t.ready({ limit: 1, type: ['task', 'epic'] }, { withTotal: true })
    assert.equal(tagged.total, tagged.tasks.length + Number(tagged.hasMore))
    assert.equal((await t.ready({ offset: 9 }, { withTotal: true })).total, 2)
    const all = await t.ready({ limit: Number.POSITIVE_INFINITY })
    assert.deepEqual([all.tasks.length, all.hasMore], [2, false])
    assert.deepEqual(titles((await t.ready({ tag: ['x'] })).tasks), ['right'])
    for (const id of [left, right]) {
      await t.claim(id, 'ann')
      await t.complete(id, 'ann', { skip_review: true })
    }
    // All parts are closed, which is when a whole can be.
    assert.deepEqual(await ready(), ['root'])
    await t.create({ title: 'late', parent_id: left })
    assert.deepEqual(await ready(), ['root'], 'what is below a closed task is not ready')
    await t.create({ title: 'more', parent_id: root })
    assert.deepEqual(await ready(), ['more'])
    await t.claim(root, 'ann')
    await t.block(root, 'ann')
    assert.deepEqual(await ready(), [], 'nor what is below a blocked one')
    await t.unblock(root)
    assert.deepEqual(await ready(), ['more'])
  })

  test('list: comma is or, filters are and; with the total', async () => {
    const { t, root, left, leaf } = await planted()
    await t.claim(leaf, 'ann')
    const list = async (query: Record<string, string>) =>
      titles((await t.list(parseQuery(query))).tasks).join(' ')
    assert.equal(await list({}), 'root left right leaf')
    assert.equal((await t.list({ limit: Number.POSITIVE_INFINITY, offset: 1 })).tasks.length, 3)
    await assert.rejects(t.list({ tag_pattern: 'a[' }), refused('INVALID_QUERY'))
    assert.equal(await list({ status: 'in_progress,closed' }), 'leaf')
    assert.equal(await list({ priority: '1,2' }), 'root left right')
    assert.equal(await list({ priority: '1,2', type: 'epic,bug' }), 'root')
    assert.equal(await list({ tag: 'x,y' }), 'right leaf')
    assert.equal(await list({ tag: 'y', claimed_by: 'ann' }), 'leaf')
    assert.equal(await list({ tag_pattern: '{x,z}*' }), 'right')
    assert.equal(await list({ tag_pattern: 'q,[y]' }), 'right leaf')
    assert.equal(await list({ parent_id: root }), 'left right')
    assert.equal(await list({ parent_id: `${root},${left}`, tag: 'y' }), 'right leaf')
    const page = await t.list(parseQuery({ limit: '2', offset: '1' }))
    assert.deepEqual([titles(page.tasks), page.total], [['left', 'right'], 4])
  })

  test('reparent moves the whole subtree at once: depths are what the chain says', async () => {
    const { t, root, left, right, leaf } = await planted()
    const moved = await t.reparent(left, right, 'ann')
    assert.deepEqual([moved.depth, moved.parent_id], [2, right])
    assert.equal((await t.get(leaf)).depth, 3)
    assert.equal(outline(await t.subtree(root)), 'root(right(left(leaf)))')
    assert.deepEqual(titles(await t.ancestors(leaf)), ['left', 'right', 'root'])
    assert.deepEqual(
      (await t.ancestors(leaf)).map(({ depth }) => depth),
      [2, 1, 0],
    )
    assert.deepEqual(titles(await t.children(root)), ['right'])
    const again = await t.reparent(left, right)
    assert.deepEqual(again, moved)
    assert.equal((await t.history(left, { field: 'parent_id' })).length, 1)
    assert.equal((await t.reparent(left, null)).depth, 0)
    const { relative_depth, depth } = (await t.subtree(left)).children[0] as TaskNode
    assert.deepEqual([relative_depth, depth], [1, 1])
  })

  test('a move below itself is a cycle, an unknown parent not found; nothing moves', async () => {
    const { t, root, left, leaf } = await planted()
    for (const to of [root, left, leaf])
      await assert.rejects(t.reparent(root, to), refused('WOULD_CREATE_CYCLE'))
    const unknown = '01890000-0000-7000-8000-000000000000'
    await assert.rejects(t.reparent(left, unknown), refused('PARENT_NOT_FOUND'))
    await assert.rejects(t.reparent(left, 'x'), refused('PARENT_NOT_FOUND'))
    await assert.rejects(t.reparent(unknown, left), refused('TASK_NOT_FOUND'))
    assert.equal(outline(await t.subtree(root)), 'root(left(leaf) right)')
  })

  test('delete takes all below, with tags and history; not what is active', async () => {
    const { t, root, left, leaf, right } = await planted()
    await t.claim(leaf, 'ann')
    await assert.rejects(t.delete(leaf), refused('TASK_ACTIVE', { status: 'in_progress' }))
    await assert.rejects(t.delete(root), refused('HAS_ACTIVE_CHILDREN', { active_id: leaf }))
    await t.complete(leaf, 'ann')
    await assert.rejects(t.delete(left), refused('HAS_ACTIVE_CHILDREN'))
    await t.reject(leaf, 'bob')
    const { descendants } = await t.delete(left, 'ann')
    assert.deepEqual(descendants, [leaf])
    for (const id of [left, leaf]) await assert.rejects(t.get(id), refused('TASK_NOT_FOUND'))
    assert.deepEqual((await t.list({ tag: ['y'] })).tasks.length, 1)
    await t.delete(root)
    await assert.rejects(t.delete(right), refused('TASK_NOT_FOUND'))
    const left_over: string[] = []
    for await (const { key } of ground.store.list('coven')) left_over.push(key)
    assert.deepEqual(left_over, ['coven/meta/structure'])
  })

  test('bulk answers for each task, and gets through to the last', async () => {
    const { t, root, left, right, leaf } = await planted()
    const unknown = '01890000-0000-7000-8000-000000000000'
    const results = await t.bulk({ action: 'close', task_ids: [leaf, unknown, 'x'] }, 'ann')
    assert.deepEqual(
      results.map((result) => (result.success ? 'ok' : (result.error as TreeError).code)),
      ['INVALID_TRANSITION', 'TASK_NOT_FOUND', 'INVALID_ID'],
    )
    await t.bulk({ action: 'add_tags', task_ids: [left, right], tags: ['b'] })
    await t.bulk({ action: 'remove_tags', task_ids: [right], tags: ['x'] })
    await t.bulk({ action: 'set_priority', task_ids: [right, right], priority: 4 })
    expect(await t.get(right)).toMatchObject({ tags: ['y', 'b'], priority: 4 })
    const told: string[] = []
    const onResult = ({ id }: { id: string }) => told.push(id)
    const gone = await t.bulk({ action: 'delete', task_ids: [root, leaf] }, 'ann', { onResult })
    assert.deepEqual(told, [root, leaf])
    assert.ok(gone.every(({ success }) => success))
    const request = { action: 'set_priority', task_ids: [left], priority: 9 } as const
    await assert.rejects(t.bulk(request), refused('INVALID_PRIORITY'))
    const odd = { action: 'x', task_ids: [] } as unknown as typeof request
    await assert.rejects(t.bulk(odd), refused('INVALID_BODY'))
  })

  test('a version that has passed is refused, and changes nothing', async () => {
    const { t, left } = await planted()
    const { version } = await t.getVersion(left)
    await t.update(left, { title: 'l' }, { agent: 'ann', version })
    const stale = { agent: 'ann', version }
    for (const act of [
      () => t.update(left, { title: 'm' }, stale),
      () => t.claim(left, stale),
      () => t.reparent(left, null, stale),
      () => t.delete(left, stale),
    ])
      await assert.rejects(act, refused('PRECONDITION_FAILED'))
    expect(await t.get(left)).toMatchObject({ title: 'l', status: 'open' })
  })
})
