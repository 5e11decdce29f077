import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import type { GrimoireMatch, HistoryEntry, Task, TaskNode } from '../../src/tree/index.ts'
import { onEveryStore } from '../models/stores.ts'
import { assertLayout } from '../tree/layout.ts'
import { Caller, served } from './served.ts'

const titles = (tasks: readonly Task[]) => tasks.map(({ title }) => title)
const agent = 'ann'

const callerOf = Caller.ofOneKind()

onEveryStore('the routes of the tree', { check: assertLayout }, (ground) => {
  async function open(options = {}) {
    const serving = await served(ground.store, options)
    return { api: await callerOf(serving.url), serving }
  }

  test('create, read, change and delete', async () => {
    const { api, serving } = await open()
    await using _ = serving
    const made = await api.ask('POST', '/api/tasks', {
      body: { title: ' Root ', type: 'epic', priority: 0, tags: ['a', 'a', ' b '], body: null },
    })
    assert.equal(made.status, 201)
    const { id } = made.body
    const path = `/api/tasks/${id}`
    assert.equal(made.headers.get('location'), path)
    expect(made.body).toMatchObject({ title: 'Root', type: 'epic', tags: ['a', 'b'], body: null })
    expect(made.body).toMatchObject({ claimed_by: null, grimoire: null, deleted_at: null })
    const read = await api.get(path)
    assert.deepEqual(read.body, made.body)
    assert.equal(read.headers.get('etag'), made.headers.get('etag'))
    const known = await api.get(path, {
      headers: { 'If-None-Match': read.headers.get('etag') as string },
    })
    assert.deepEqual([known.status, known.body], [304, undefined])
    const changed = await api.ask('PATCH', path, { body: { title: 'New', priority: 4 }, agent })
    expect(changed.body).toMatchObject({ title: 'New', priority: 4, type: 'epic' })
    assert.notEqual(changed.headers.get('etag'), read.headers.get('etag'))
    const below = await api.ask('POST', `${path}/subtasks`, { body: { title: 'Below' } })
    assert.equal(below.status, 201)
    expect(below.body).toMatchObject({ parent_id: id, depth: 1 })
    assert.equal((await api.ask('DELETE', path)).status, 204)
    await api.refused(['GET', path], 'TASK_NOT_FOUND')
    await api.refused(['GET', `/api/tasks/${below.body.id}`], 'TASK_NOT_FOUND')
  })

  test('If-Match keeps a change from overwriting another', async () => {
    const { api, serving } = await open()
    await using _ = serving
    const { id } = await api.create({ title: 'x' })
    const path = `/api/tasks/${id}`
    const tag = (await api.get(path)).headers.get('etag') as string
    const first = await api.ask('PATCH', path, {
      body: { title: 'y' },
      headers: { 'If-Match': tag },
    })
    assert.equal(first.status, 200)
    const late = { body: { title: 'z' }, headers: { 'If-Match': tag } }
    assert.equal((await api.refused(['PATCH', path], 'PRECONDITION_FAILED', late))['version'], 1)
    const next = first.headers.get('etag') as string
    for (const odd of ['"x"', `W/${next}`, next.slice(1, -1), `${tag}, "2-0"`, '"*"'])
      await api.refused(['PATCH', path], 'PRECONDITION_FAILED', {
        body: { title: 'z' },
        headers: { 'If-Match': odd },
      })
    const claimed = await api.ask('POST', `${path}/claim`, { agent, headers: { 'If-Match': next } })
    assert.equal(claimed.status, 200)
    const any = await api.ask('PATCH', path, { body: { title: 'w' }, headers: { 'If-Match': '*' } })
    assert.equal(any.status, 200)
    await api.refused(['DELETE', path], 'PRECONDITION_FAILED', { headers: { 'If-Match': next } })
  })

  test('lists: filters, pages, totals and links', async () => {
    const { api, serving } = await open()
    await using _ = serving
    const root = await api.create({ title: 'root', tags: ['area/web'] })
    for (const [n, type] of ['bug', 'feature', 'task'].entries())
      await api.create({ title: type, type, priority: n, parent_id: root.id, tags: [`t${n}`] })
    const list = async (query: string) => titles((await api.get<Task[]>(`/api/tasks${query}`)).body)
    assert.deepEqual(await list(''), ['root', 'bug', 'feature', 'task'])
    assert.deepEqual(await list('?type=bug,feature&priority=1,2'), ['feature'])
    assert.deepEqual(await list('?tag=t0,t2'), ['bug', 'task'])
    assert.deepEqual(await list('?tag_pattern=area/**,{t1,t2}'), ['root', 'feature', 'task'])
    assert.deepEqual(await list(`?parent_id=${root.id}&status=open`), ['bug', 'feature', 'task'])
    assert.deepEqual(await list('?claimed_by=nobody'), [])
    const page = await api.get<Task[]>('/api/tasks?limit=2&offset=1&type=bug,feature,task')
    assert.deepEqual(titles(page.body), ['bug', 'feature'])
    assert.equal(page.headers.get('x-total-count'), '4')
    const link = page.headers.get('link') as string
    assert.match(link, /<\/api\/tasks\?limit=2&offset=3&type=[^>]+>; rel="next"/)
    const next = /<([^>]+)>; rel="next"/.exec(link)?.[1] as string
    assert.deepEqual(titles((await api.get<Task[]>(next)).body), ['task'])
    const ready = await api.get<Task[]>('/api/tasks/ready?limit=2')
    assert.deepEqual(titles(ready.body), ['bug', 'feature'])
    assert.equal(ready.headers.get('x-total-count'), '3')
    assert.match(ready.headers.get('link') as string, /rel="next"/)
    await api.done('POST', `/api/tasks/${ready.body[0]?.id}/claim`, { agent })
    const left = await api.get<Task[]>('/api/tasks/ready')
    // What is claimed is not ready, nor is what has unfinished parts.
    assert.deepEqual(titles(left.body), ['feature', 'task'])
    assert.equal(left.headers.get('x-total-count'), '2')
    assert.deepEqual(await list('?claimed_by=ann'), ['bug'])
  })

  test('the whole life of a task, by its verbs', async () => {
    const { api, serving } = await open()
    await using _ = serving
    const { id } = await api.create({ title: 'x' })
    const run = (verb: string, asked = {}) => api.ask('POST', `/api/tasks/${id}/${verb}`, asked)
    const status = async (verb: string, asked = {}) => (await run(verb, asked)).body.status
    const claimed = await run('claim', { agent, body: { tags: ['now'] } })
    expect(claimed.body).toMatchObject({ claimed_by: agent, tags: ['now'], status: 'in_progress' })
    assert.equal(claimed.body.grimoire, 'implement-bead')
    assert.deepEqual((await run('reclaim', { agent })).body, claimed.body)
    expect((await run('release', { agent })).body).toMatchObject({
      status: 'open',
      claimed_by: null,
    })
    assert.equal(await status('claim', { agent: 'bob' }), 'in_progress')
    assert.equal(await status('release?force=true', { agent }), 'open')
    assert.equal(await status('claim', { agent }), 'in_progress')
    assert.equal(await status('block', { agent, body: { reason: 'waits' } }), 'blocked')
    assert.equal(await status('unblock'), 'open')
    assert.equal(await status('claim', { agent }), 'in_progress')
    const summary = { summary: 'done', result: { lines: [1, 2] } }
    assert.equal(await status('complete', { agent, body: summary }), 'pending_merge')
    assert.equal(await status('reject', { body: { reason: 'no tests' } }), 'blocked')
    assert.equal(await status('unblock'), 'open')
    assert.equal(await status('claim', { agent }), 'in_progress')
    assert.equal(await status('complete', { agent }), 'pending_merge')
    assert.equal(await status('approve'), 'closed')
    const history = await api.get<HistoryEntry[]>(`/api/tasks/${id}/history?field=status`)
    assert.equal(history.headers.get('x-total-count'), String(history.body.length))
    assert.equal(history.body[0]?.new_value, 'closed')
    assert.deepEqual(history.body.find((entry) => entry.summary)?.result, { lines: [1, 2] })
    assert.equal(history.body.find((entry) => entry.reason === 'no tests')?.new_value, 'blocked')
    const since = encodeURIComponent(history.body[0]?.changed_at as string)
    const late = await api.get<HistoryEntry[]>(`/api/tasks/${id}/history?since=${since}`)
    assert.ok(late.body.length >= 1 && late.body.length < history.body.length)
    const some = await api.get<HistoryEntry[]>(`/api/tasks/${id}/history?limit=2`)
    assert.equal(some.body.length, 2)
  })

  test('PATCH status runs the verb that makes the move', async () => {
    const { api, serving } = await open()
    await using _ = serving
    const { id } = await api.create({ title: 'x' })
    const path = `/api/tasks/${id}/status`
    const move = async (status: string, asked = {}) =>
      (await api.done('PATCH', path, { body: { status }, ...asked })).status
    await api.refused(['PATCH', path], 'MISSING_AGENT', { body: { status: 'in_progress' } })
    assert.equal(await move('open'), 'open')
    assert.equal(await move('in_progress', { agent }), 'in_progress')
    assert.equal(await move('in_progress', { agent }), 'in_progress')
    for (const status of ['in_progress', 'closed'])
      await api.refused(['PATCH', path], 'MISSING_AGENT', { body: { status } })
    await api.refused(['PATCH', path], 'NOT_CLAIM_OWNER', {
      body: { status: 'blocked' },
      agent: 'bob',
    })
    assert.equal(await move('pending_merge', { agent }), 'pending_merge')
    assert.equal(await move('blocked'), 'blocked')
    assert.equal(await move('closed'), 'closed')
    const details = await api.refused(['PATCH', path], 'INVALID_TRANSITION', {
      body: { status: 'open' },
    })
    assert.deepEqual(details, {
      current_status: 'closed',
      requested_status: 'open',
      valid_transitions: [],
    })
  })

  test('the hierarchy: subtree, ancestors, children, moves', async () => {
    const { api, serving } = await open()
    await using _ = serving
    const a = await api.create({ title: 'a' })
    const b = await api.create({ title: 'b', parent_id: a.id })
    const c = await api.create({ title: 'c', parent_id: b.id })
    const other = await api.create({ title: 'other' })
    const tree = (await api.get<TaskNode>(`/api/tasks/${a.id}/subtree`)).body
    assert.deepEqual(
      [tree.relative_depth, tree.children[0]?.title, tree.children[0]?.children[0]?.relative_depth],
      [0, 'b', 2],
    )
    const above = await api.get<Task[]>(`/api/tasks/${c.id}/ancestors`)
    assert.deepEqual(titles(above.body), ['b', 'a'])
    assert.equal(above.headers.get('x-total-count'), '2')
    const below = await api.get<Task[]>(`/api/tasks/${a.id}/children?limit=1`)
    assert.deepEqual(titles(below.body), ['b'])
    const tag = (await api.get(`/api/tasks/${c.id}`)).headers.get('etag')
    const reparent = (id: string, new_parent_id: string | null) =>
      api.ask('POST', `/api/tasks/${id}/reparent`, { body: { new_parent_id } })
    expect((await reparent(b.id, other.id)).body).toMatchObject({ depth: 1, parent_id: other.id })
    expect((await reparent(other.id, a.id)).body).toMatchObject({ depth: 1 })
    const moved = await api.get(`/api/tasks/${c.id}`)
    assert.equal(moved.body.depth, 3)
    assert.notEqual(moved.headers.get('etag'), tag)
    await api.refused(['POST', `/api/tasks/${a.id}/reparent`], 'WOULD_CREATE_CYCLE', {
      body: { new_parent_id: c.id },
    })
    expect((await reparent(b.id, null)).body).toMatchObject({ depth: 0, parent_id: null })
  })

  test('tags, bulk and grimoire-match', async () => {
    const { api, serving } = await open()
    await using _ = serving
    const a = await api.create({ title: 'a', tags: ['x'] })
    const b = await api.create({ title: 'b' })
    const path = `/api/tasks/${a.id}/tags`
    const tags = async (method: string, given: string[]) =>
      (await api.done(method, path, { body: { tags: given } })).tags
    assert.deepEqual(await tags('POST', ['y', ' x ']), ['x', 'y'])
    assert.deepEqual(await tags('DELETE', ['x']), ['y'])
    assert.deepEqual(await tags('PUT', ['grimoire:audit']), ['grimoire:audit'])
    const { results } = await api.done<{ results: { success: boolean; code?: string }[] }>(
      'POST',
      '/api/tasks/bulk',
      { body: { action: 'add_tags', task_ids: [a.id, 'nonsense', b.id], tags: ['z'] } },
    )
    assert.deepEqual(
      results.map(({ success, code }) => [success, code]),
      [
        [true, undefined],
        [false, 'INVALID_ID'],
        [true, undefined],
      ],
    )
    const match = (await api.get<GrimoireMatch>(`/api/tasks/${a.id}/grimoire-match`)).body
    assert.deepEqual([match.selected_grimoire, match.matched_by], ['audit', 'grimoire:tag'])
    await api.done('POST', '/api/tasks/bulk', {
      body: { action: 'delete', task_ids: [a.id, b.id] },
    })
    assert.deepEqual((await api.get<Task[]>('/api/tasks')).body, [])
  })
})
