import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Role, roles } from '../../../src/access/index.ts'
import type { Serving } from '../../../src/http/index.ts'
import { openStore, type Store } from '../../../src/store/index.ts'
import { TaskTree } from '../../../src/tree/index.ts'
import { seed, withDirectories } from '../holdfast/ground.ts'
import { servedAll } from '../holdfast/served.ts'
import { Caller, type Refused, served } from '../served.ts'
import { type Bearer, bearers, contentsOf } from './bearers.ts'

withDirectories()

/** Said once more, in words of its own: the table must agree with it. */
function roleOf(method: string, path: string): Role {
  if (method === 'GET') return 'read'
  const deletesTask = method === 'DELETE' && !path.endsWith('/tags')
  return deletesTask ? 'admin' : 'work'
}

const servers = { holdfast: servedAll, coven: served } as const
const uuid = '01a1e099-0000-7000-8000-000000000000'

for (const program of ['holdfast', 'coven'] as const)
  describe(`roles on ${program} serve`, () => {
    let store: Store
    let serving: Serving
    let api: Caller
    let all: Record<Role, Bearer>
    let operations: readonly (readonly [method: string, path: string, role: unknown])[]

    beforeAll(async () => {
      store = await openStore('memory:')
      await seed(store)
      all = await bearers(store)
      serving = await servers[program](store)
      api = await Caller.to(serving.url)
      operations = Object.entries(api.document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(
          ([method, operation]) =>
            [method.toUpperCase(), path.replace(/\{\w+\}/g, uuid), operation['x-role']] as const,
        ),
      )
    })

    afterAll(async () => {
      await serving[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    })

    /** The status, and the code of a refusal; a stream is not waited for. */
    async function ask(
      method: string,
      path: string,
      headers: Record<string, string>,
      body?: unknown,
    ) {
      const ending = new AbortController()
      const response = await fetch(`${serving.url}${path}`, {
        method,
        headers: {
          ...headers,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: ending.signal,
      })
      const { status } = response
      const isJson = response.headers.get('Content-Type') === 'application/json'
      const told = isJson && method !== 'HEAD' ? ((await response.json()) as Refused) : null
      ending.abort()
      return { status, code: told?.code ?? null, details: told?.details ?? null }
    }

    test('each route says which, and it is the one that it should be', () => {
      assert.ok(operations.length >= (program === 'coven' ? 26 : 50))
      for (const [method, path, role] of operations)
        assert.equal(role, roleOf(method, path), `${method} ${path}`)
    })

    test('each route lets in who has it, and nobody else', async () => {
      for (const role of roles)
        for (const [method, path, needed] of operations) {
          const { status, code, details } = await ask(method, path, all[role])
          const what = `${role}: ${method} ${path} answered ${status} ${code}`
          if (roles.indexOf(role) >= roles.indexOf(needed as Role))
            assert.ok(status !== 401 && status !== 403 && status < 500, what)
          else {
            assert.deepEqual([status, code], [403, 'FORBIDDEN_ROLE'], what)
            assert.deepEqual(details, { needed, role })
          }
        }
    })

    test('who may only read has changed nothing, whatever they sent', async () => {
      const before = await contentsOf(store)
      const bodies = [
        undefined,
        {},
        { title: 'x' },
        { text: 'x' },
        { payload: 1 },
        { type: 'x' },
        [],
      ]
      for (const [method, path, role] of operations)
        if (role !== 'read')
          for (const body of bodies)
            assert.equal((await ask(method, path, all.read, body)).code, 'FORBIDDEN_ROLE')
      assert.equal(await contentsOf(store), before)
    })

    test('each route refuses the name of another, and takes one’s own', async () => {
      for (const [method, path] of operations) {
        const token = all.admin
        for (const agent of [
          'ann',
          'admi',
          'admins',
          'Admin',
          'admin/',
          '/admin',
          'x/admin',
          'admin,x',
        ]) {
          const { status, code } = await ask(method, path, { ...token, 'X-Agent-ID': agent })
          assert.deepEqual(
            [status, code],
            [403, 'FORBIDDEN_AGENT'],
            `${method} ${path} as ${agent}`,
          )
        }
        for (const agent of ['admin', 'admin/1', 'admin/a/b', ''])
          assert.notEqual((await ask(method, path, { ...token, 'X-Agent-ID': agent })).status, 403)
      }
    })

    test('HEAD is as GET; no token is 401 anywhere; what there is not is 404 or 405 for all', async () => {
      for (const [method, path] of operations) {
        assert.equal((await ask(method, path, {})).code, 'UNAUTHORIZED')
        if (method === 'GET') {
          assert.equal((await ask('HEAD', path, {})).status, 401)
          assert.notEqual((await ask('HEAD', path, all.read)).status, 403)
        }
      }
      for (const path of [
        '/api/nothing',
        '/api',
        '/api/tasks/x/y/z',
        '//api/tasks',
        '/api//tasks',
      ]) {
        assert.equal((await ask('DELETE', path, {})).status, 401)
        for (const role of roles) assert.equal((await ask('DELETE', path, all[role])).status, 404)
      }
      for (const role of roles) {
        assert.equal((await ask('PUT', '/api/tasks', all[role])).status, 405)
        assert.equal((await ask('OPTIONS', '/api/tasks', all[role])).status, 204)
      }
      assert.equal((await ask('OPTIONS', '/api/tasks', {})).status, 401)
    })

    test('no spelling of a route is another way in', async () => {
      const { id } = await new TaskTree(store).create({ title: 'stays' })
      const path = `/api/tasks/${id}`
      const spelled = [
        `${path}/`,
        `${path}?`,
        `${path}?x=1`,
        `${path}#x`,
        path.replace('tasks', 't%61sks'),
        `/api/./tasks/${id}`,
        `/docs/..${path}`,
        `/docs/%2e%2e${path}`,
        `${path}%2f`,
        `${path};x`,
      ]
      for (const each of spelled)
        for (const role of ['read', 'work'] as const) {
          assert.ok([403, 404].includes((await ask('DELETE', each, all[role])).status), each)
          assert.equal((await ask('DELETE', each, {})).status, 401, each)
        }
      for (const header of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])
        await ask('POST', path, { ...all.work, [header]: 'DELETE' })
      assert.equal((await new TaskTree(store).get(id)).title, 'stays')
    })

    test('forced release and bulk deletion are for an administrator', async () => {
      const tree = new TaskTree(store)
      const { id } = await tree.create({ title: 'claimed' })
      await tree.claim(id, 'ann')
      const release = `/api/tasks/${id}/release`
      assert.equal((await ask('POST', `${release}?force=true`, all.work)).code, 'FORBIDDEN_ROLE')
      assert.equal((await ask('POST', `${release}?force=false`, all.work)).code, 'NOT_CLAIM_OWNER')
      for (const force of ['TRUE', '1', 'true&force=false', 'true&force=true', ' true'])
        assert.equal(
          (await ask('POST', `${release}?force=${force}`, all.work)).code,
          'INVALID_QUERY',
        )
      const remove = { action: 'delete', task_ids: [id] }
      assert.equal((await ask('POST', '/api/tasks/bulk', all.work, remove)).code, 'FORBIDDEN_ROLE')
      const tagged = { action: 'add_tags', task_ids: [id], tags: ['x'] }
      assert.equal((await ask('POST', '/api/tasks/bulk', all.work, tagged)).status, 200)
      assert.equal((await ask('POST', `${release}?force=true`, all.admin)).status, 200)
      assert.equal((await ask('POST', '/api/tasks/bulk', all.admin, remove)).status, 200)
      assert.equal((await ask('GET', `/api/tasks/${id}`, all.read)).status, 404)
      const { paths } = api.document
      assert.match(
        String(paths['/api/tasks/{id}/release']?.['post']?.description),
        /`\?force=true` needs the role `admin`\./,
      )
      assert.match(
        String(paths['/api/tasks/bulk']?.['post']?.description),
        /`action` `delete` needs the role `admin`\./,
      )
    })

    test('are shown at /docs', async () => {
      const page = await (await fetch(`${serving.url}/docs`)).text()
      const shown = page.match(/<small>role <code>\w+<\/code><\/small>/g) ?? []
      assert.equal(shown.length, operations.length)
    })
  })
