import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, test } from 'vitest'
import { TaskList } from '../../../src/list/index.ts'
import { Plans } from '../../../src/plan/index.ts'
import { Queue } from '../../../src/queue/index.ts'
import { create, openStore, remove, type Store } from '../../../src/store/index.ts'
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

/** Takes index entries away whose documents are there, as a crash between two writes may leave them. */
async function makeDrift(store: Store, directory: string): Promise<void> {
  await new TaskList(store).add('Call home', ['drifting'])
  const { session } = await new Plans(store).start(directory)
  const queue = new Queue(store)
  await queue.submit({ type: 'work' })
  await queue.close()
  const [ready] = await keysBelow(store, 'qo/ready')
  for (const key of ['utask_tags/drifting', `np/idx/active/${session.sid}`, ready!])
    await store.commit([remove((await store.get(key))!)])
}

async function keysBelow(store: Store, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix)) keys.push(key)
  return keys
}

/** Finds this drift twice, runs the command that the first detail names, and finds none; answers with that detail. */
async function mended(desk: Desk, url: string, drifted: readonly string[]): Promise<string> {
  const first = await examined(desk, url)
  assert.deepEqual([first.exit, first.bad], [1, drifted])
  assert.deepEqual((await examined(desk, url)).bad, drifted)
  const detail = first.of(drifted[0]!)
  const [, command = ''] = /"holdfast (.*?)"/.exec(detail) ?? []
  const [name, ...args] = command.split(' ')
  assert.equal(name, 'doctor')
  const repaired = await examined(desk, url, ...args)
  assert.deepEqual([repaired.exit, repaired.bad], [0, []])
  for (const each of drifted) assert.match(repaired.of(each), /^\d+ (entry|entries) mended$/)
  assert.deepEqual((await examined(desk, url)).bad, [])
  return detail
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

  test('finds drift of every kind, changes nothing, and mends it as it says', async () => {
    using desk = new Desk()
    const url = `sqlite:${desk.path('x.db')}`
    await withStore(url, async (store) => {
      await makeDrift(store, desk.folder)
      await store.commit([create('tasks/idem/lost', new TextEncoder().encode('nobody'))])
      await store.commit([
        create('coven/ready/2/0192f0c1-2345-7678-9abc-def012345678', new Uint8Array()),
      ])
    })
    const models = ['list', 'plan', 'jobs', 'tree', 'queue']
    const detail = await mended(
      desk,
      url,
      models.map((model) => `${model}.index`),
    )
    assert.match(
      detail,
      /^1 entry not as the documents say; "holdfast doctor --repair" mends them$/,
    )
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
    await withStore(server.url, (store) => makeDrift(store, desk.folder))
    await mended(desk, server.url, ['list.index', 'plan.index', 'queue.index'])
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
    await withStore(url, (store) => makeDrift(store, desk.folder))
    await mended(desk, url, ['list.index', 'plan.index', 'queue.index'])
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
