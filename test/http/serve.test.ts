import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { coven } from '../../src/cli/coven.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import { type GrimoireMatch, type Task, TaskTree } from '../../src/tree/index.ts'
import { until } from '../eventually.ts'
import { sized } from '../size.ts'
import { temporaryFolder } from '../store/ground.ts'
import { assertLayout } from '../tree/layout.ts'
import { Served } from './process.ts'
import { posted, RawConnection } from './raw.ts'
import { serveRefusal } from './refusal.ts'
import { Caller, served } from './served.ts'
import { EventReader } from './stream.ts'

async function everything(store: Store): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for await (const { key, value } of store.scan('')) found.set(key, Buffer.from(value).toString())
  return found
}

describe('coven serve', () => {
  test('makes the workspace, finishes what is under way, and leaves a copy of the store', async () => {
    await using folder = await temporaryFolder()
    const cwd = folder.path('')
    await using server = await Served.start([], { cwd })
    const api = await Caller.to(server.url)
    await api.create({ title: 'kept' })
    await using events = await (await EventReader.open(server.url)).begun()
    using slow = await RawConnection.to(server.url)
    const asked = posted('{"title":"under way"}')
    slow.write(asked.subarray(0, -5))
    // The server has read it by the time that it answers others.
    for (let nth = 0; nth < 2; nth++) await Caller.to(server.url)
    const ended = server.end('SIGTERM')
    await until(() => server.stderr.includes('Ending on SIGTERM'))
    assert.equal(await events.block(), null)
    slow.write(asked.subarray(-5))
    assert.equal((await slow.answer()).status, 201)
    assert.equal(await ended, 0)
    assert.match(server.stderr, /A copy of the store is in .*tasks\.db\.bak\n/)
    const [path, copy] = [folder.path('.coven/tasks.db'), folder.path('.coven/tasks.db.bak')]
    await using store = await openStore(`sqlite:${path}`, { create: false })
    await using backup = await openStore(`sqlite:${copy}`, { create: false })
    assert.deepEqual(await everything(backup), await everything(store))
    assert.equal((await new TaskTree(backup).list()).total, 2)
    assert.ok(!existsSync(`${copy}.${server.process.pid}`))
  })

  const refusals: Readonly<Record<string, readonly string[]>> = {
    'listening elsewhere without a token': ['--host', '0.0.0.0', '--port', '0'],
    'a port that is none': ['--port', '99999'],
    'a port that is no number': ['--port', 'http'],
    'an empty token': ['--token', '', '--port', '0'],
    'a token that no header can carry': ['--token', 'a b', '--port', '0'],
    'a host that is not ours': ['--host', '203.0.113.7', '--token', 't', '--port', '0'],
  }
  for (const [name, args] of Object.entries(refusals))
    test(`${name}: exit 2`, async () => {
      assert.match(await serveRefusal(coven, args), /^Error: /)
    })

  test('a busy port: exit 2, and the one that has it goes on', async () => {
    await using folder = await temporaryFolder()
    const cwd = folder.path('')
    await using first = await Served.start([], { cwd })
    await using second = new Served(['--port', new URL(first.url).port], { cwd })
    assert.equal(await second.ended(), 2)
    assert.match(second.stderr, /another program has it/)
    assert.equal((await fetch(`${first.url}/api/tasks`)).status, 200)
  })

  test('COVEN_TOKEN is a token, too', async () => {
    await using folder = await temporaryFolder()
    const env = { COVEN_TOKEN: 'from-env' }
    await using server = await Served.start([], { cwd: folder.path(''), env })
    assert.equal((await fetch(`${server.url}/api/tasks`)).status, 401)
    const headers = { Authorization: 'Bearer from-env' }
    assert.equal((await fetch(`${server.url}/api/tasks`, { headers })).status, 200)
  })

  test('kill -9: stale claims return by another server after the timeout, nothing else changes', async () => {
    await using folder = await temporaryFolder()
    const url = `sqlite:${folder.path('tasks.db')}`
    await using server = await Served.start(['--store', url], { cwd: folder.path('') })
    const api = await Caller.to(server.url)
    const root = await api.create({ title: 'root' })
    const [held, open] = await Promise.all(
      ['held', 'open'].map((title) => api.create({ title, parent_id: root.id, tags: [title] })),
    )
    await api.done('POST', `/api/tasks/${held?.id}/claim`, { agent: 'ann' })
    await server.end('SIGKILL')
    await using store = await openStore(url)
    const before = await everything(store)
    await using patient = await served(store, { claimTimeoutMs: 3_600_000, maintenanceMs: 20 })
    // Some rounds of maintenance; no event tells that they change nothing.
    await sleep(200)
    assert.deepEqual(await everything(store), before, 'not before the timeout')
    await patient[Symbol.asyncDispose]()
    await using other = await served(store, { claimTimeoutMs: 100, maintenanceMs: 20 })
    const tree = new TaskTree(store)
    await until(async () => (await tree.get(held?.id as string)).status === 'open')
    const after = await everything(store)
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (key) => before.get(key) !== after.get(key) && !key.includes(held?.id as string),
    )
    assert.deepEqual(changed, [])
    const [last] = await tree.history(held?.id as string, { field: 'status' })
    assert.deepEqual([last?.changed_by, last?.new_value], ['system', 'open'])
    assert.equal((await tree.get(open?.id as string)).status, 'open')
    await assertLayout(store)
    assert.equal((await fetch(`${other.url}/api/tasks`)).status, 200)
  })

  test('follows the file of matchers, and says what is wrong with it', async () => {
    await using folder = await temporaryFolder()
    await mkdir(folder.path('.coven'))
    const path = folder.path('.coven/grimoire-matchers.yaml')
    const rule = (grimoire: string) =>
      `matchers:\n  - name: all\n    grimoire: ${grimoire}\n    match: {}\n`
    // At once, so that nobody sees it empty in between.
    const put = async (text: string) => {
      await writeFile(folder.path('new.yaml'), text)
      await rename(folder.path('new.yaml'), path)
    }
    await put(rule('first'))
    await using server = await Served.start([], { cwd: folder.path('') })
    const api = await Caller.to(server.url)
    const { id } = await api.create({ title: 'x' })
    const match = async () => (await api.get<GrimoireMatch>(`/api/tasks/${id}/grimoire-match`)).body
    assert.equal((await match()).selected_grimoire, 'first')
    await put(rule('second'))
    assert.equal((await match()).selected_grimoire, 'second')
    await put('matchers: [')
    const broken = await match()
    assert.equal(broken.selected_grimoire, 'second')
    assert.match(broken.matcher_file_error as string, /The last good matchers stay in use/)
    await until(() => server.stderr.includes('grimoire-matchers.yaml:'))
    const claimed = await api.done('POST', `/api/tasks/${id}/claim`, { agent: 'ann' })
    assert.equal(claimed.grimoire, 'second')
  })
})

describe('two servers on one store', () => {
  test('of all who claim a task through either, exactly one gets it', async () => {
    await using folder = await temporaryFolder()
    const url = `sqlite:${folder.path('tasks.db')}`
    const place = { cwd: folder.path('') }
    await using one = await Served.start(['--store', url], place)
    await using two = await Served.start(['--store', url], place)
    const callers = [await Caller.to(one.url), await Caller.to(two.url)] as const
    const tasks = await Promise.all(
      Array.from({ length: sized(8, 20) }, (_, n) =>
        callers[n % 2 ? 0 : 1].create({ title: `t${n}` }),
      ),
    )
    for (const { id } of tasks) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          callers[n % 2 ? 0 : 1].ask<Task>('POST', `/api/tasks/${id}/claim`, { agent: `a${n}` }),
        ),
      )
      const statuses = answers.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [200, ...Array(7).fill(409)])
      const winner = answers.find(({ status }) => status === 200)?.body.claimed_by
      assert.equal((await callers[0].get(`/api/tasks/${id}`)).body.claimed_by, winner)
    }
  })
})
