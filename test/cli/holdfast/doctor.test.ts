import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, test } from 'vitest'
import { TaskList } from '../../../src/list/index.ts'
import { Plans } from '../../../src/plan/index.ts'
import { create, openStore, remove, type Store } from '../../../src/store/index.ts'
import { TaskTree } from '../../../src/tree/index.ts'
import { startNats } from '../../servers/nats.ts'
import { freePorts } from '../../servers/port.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { s3Bucket } from '../../store/s3/ground.ts'
import { Desk } from './desk.ts'

interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

const examined = async (desk: Desk, url: string, ...args: string[]) => {
  const { exit, stdout, stderr } = await desk.run(['doctor', '--json', '--store', url, ...args])
  assert.equal(stderr, '')
  const { v, kind, data, errors } = JSON.parse(stdout)
  assert.deepEqual({ v, kind }, { v: 1, kind: 'doctor' })
  for (const check of data) assert.deepEqual(Object.keys(check), ['name', 'ok', 'detail'])
  const bad = (data as Check[]).filter(({ ok }) => !ok).map(({ name }) => name)
  return { exit, bad, errors, of: (name: string) => detailOf(data, name) }
}

const detailOf = (checks: readonly Check[], name: string) =>
  checks.find((check) => check.name === name)?.detail ?? ''

async function withStore(url: string, use: (store: Store) => Promise<void>): Promise<void> {
  await using store = await openStore(url)
  await use(store)
}

describe('holdfast doctor', () => {
  test('looks at store, durability, clock, versions, counts and indexes', async () => {
    using desk = new Desk()
    const url = `sqlite:${desk.path('x.db')}`
    await withStore(url, async (store) => {
      await new TaskList(store).add('Buy milk', ['errand'])
      await new Plans(store).start(desk.folder)
    })
    const { exit, bad, of } = await examined(desk, url)
    assert.deepEqual({ exit, bad }, { exit: 0, bad: [] })
    assert.match(of('versions'), /^Holdfast \d+\.\d+\.\d+, Node \d+\./)
    assert.match(
      of('store'),
      /^sqlite:.*x\.db answers, SQLite 3\.\d+\.\d+ \((node:sqlite|better-sqlite3)\)$/,
    )
    assert.match(of('durability'), /^durable/)
    assert.match(of('clock'), /clock is (this machine's|\d+ ms)/)
    assert.equal(of('list.documents'), 'tasks: 1')
    assert.equal(of('plan.documents'), 'sessions: 1')
    assert.equal(of('queue.documents'), 'tasks: 0')
    for (const model of ['list', 'plan', 'jobs', 'tree', 'queue'])
      assert.equal(of(`${model}.index`), 'as the documents say')
  })

  test('tells a person line by line', async () => {
    using desk = new Desk()
    await withStore(`sqlite:${desk.path('x.db')}`, async () => {})
    const { exit, stdout } = await desk.run(['doctor', '--store', 'sqlite:x.db'])
    assert.equal(exit, 0)
    assert.match(stdout, /^ok {4}versions {9}Holdfast/)
    assert.match(stdout, /^ok {4}tree\.index {7}as the documents say$/m)
  })

  test('finds drift of every kind, changes nothing, and mends it with --repair', async () => {
    using desk = new Desk()
    const url = `sqlite:${desk.path('x.db')}`
    await withStore(url, async (store) => {
      await new TaskList(store).add('Buy milk', ['errand'])
      const plans = new Plans(store)
      const { session } = await plans.start(desk.folder)
      await plans.addTasks(session.sid, [{ title: 'One', description: '' }], { cmd: 'test' })
      await new TaskTree(store).create({ title: 'x', tags: ['a'] }, 'ann')
      for (const key of ['utask_tags/errand', `np/idx/active/${session.sid}`])
        await store.commit([remove((await store.get(key))!)])
      await store.commit([create('tasks/idem/lost', new TextEncoder().encode('nobody'))])
      await store.commit([
        create('coven/ready/2/0192f0c1-2345-7678-9abc-def012345678', new Uint8Array()),
      ])
    })
    const before = await examined(desk, url)
    assert.deepEqual(before.bad, ['list.index', 'plan.index', 'jobs.index', 'tree.index'])
    assert.equal(before.exit, 1)
    assert.match(
      before.of('list.index'),
      /^1 entry not as the documents say; "holdfast doctor --repair"/,
    )
    assert.deepEqual((await examined(desk, url)).bad, before.bad)
    const repaired = await examined(desk, url, '--repair')
    assert.deepEqual([repaired.exit, repaired.bad], [0, []])
    assert.equal(repaired.of('list.index'), '1 entry mended')
    assert.deepEqual((await examined(desk, url)).bad, [])
  })

  test('names a document that can not be read', async () => {
    using desk = new Desk()
    const url = `sqlite:${desk.path('x.db')}`
    await withStore(url, async (store) => {
      await store.commit([create(`utask_tasks/${'a'.repeat(128)}`, Uint8Array.of(0x7b))])
    })
    const { exit, bad, of } = await examined(desk, url)
    assert.deepEqual({ exit, bad }, { exit: 1, bad: ['list.index'] })
    assert.match(of('list.index'), /^The task a{128} can't be read\.$/)
  })

  test('knows the NATS server, and that durability is unverified', async () => {
    using desk = new Desk()
    await using server = await startNats()
    await withStore(server.url, async (store) => {
      await new TaskList(store).add('Buy milk')
    })
    const { exit, of } = await examined(desk, server.url)
    assert.equal(exit, 0)
    assert.match(of('store'), /answers, NATS 2\.\d+\.\d+$/)
    assert.match(of('durability'), /^unverified/)
    assert.equal(of('list.documents'), 'tasks: 1')
  })

  test('works on S3', async () => {
    using desk = new Desk()
    const url = (await s3Bucket(sharedMinio())).url('doctor')
    await withStore(url, async (store) => {
      await new TaskList(store).add('Buy milk', ['errand'])
    })
    const { exit, bad, of } = await examined(desk, url)
    assert.deepEqual({ exit, bad }, { exit: 0, bad: [] })
    assert.equal(of('list.documents'), 'tasks: 1')
  })
})

describe('holdfast doctor on a store', () => {
  test('that is missing: exit 4, and nothing is made', async () => {
    using desk = new Desk()
    const { exit, bad, of, errors } = await examined(desk, `sqlite:${desk.path('no.db')}`)
    assert.deepEqual({ exit, bad }, { exit: 4, bad: ['store'] })
    assert.match(of('store'), /no\.db/)
    assert.equal(errors[0].code, 'no_store')
    assert.ok(!existsSync(desk.path('no.db')))
  })

  test('that is no store of ours: exit 4, and it stays as it is', async () => {
    using desk = new Desk()
    const path = desk.write('text.db', 'hello')
    const { exit, bad } = await examined(desk, `sqlite:${path}`)
    assert.deepEqual({ exit, bad }, { exit: 4, bad: ['store'] })
  })

  test('that is down: exit 7, and it says what to do', async () => {
    using desk = new Desk()
    const { exit, errors } = await examined(desk, `nats://127.0.0.1:${(await freePorts(1))[0]}`)
    assert.equal(exit, 7)
    assert.equal(errors[0].code, 'unavailable')
    assert.ok(errors[0].next)
  })

  test('whose URL does not parse: exit 2', async () => {
    using desk = new Desk()
    assert.equal((await examined(desk, 'sqllite:x')).exit, 2)
  })
})
