import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { describe, test } from 'vitest'
import { type Role, Tokens } from '../../../src/access/index.ts'
import type { OpenApi } from '../../../src/http/openapi.ts'
import { TaskManager } from '../../../src/jobs/index.ts'
import { TaskList } from '../../../src/list/index.ts'
import { Queue } from '../../../src/queue/index.ts'
import { counted, limited, openStore, type Store } from '../../../src/store/index.ts'
import { TaskTree } from '../../../src/tree/index.ts'
import { temporaryFolder } from '../../store/ground.ts'
import { seed, withDirectories } from '../holdfast/ground.ts'
import { servedAll } from '../holdfast/served.ts'
import { served } from '../served.ts'
import { Draw } from './draw.ts'
import { type DrawnRequest, requestsOf } from './drawn-request.ts'
import { type Answer, type Asker, flawOf } from './flaw.ts'

withDirectories()

const isLong = process.env['HOLDFAST_FUZZ'] === '1'
const requestsInAll = isLong ? 100_000 : 1_500
/** Each on a store of its own: what many requests have made slows those that follow. */
const requestsOfRound = isLong ? 2_000 : 750
const requestsAtOnce = 8
/** How many versions of things are kept, for requests to name. */
const etagsMax = 12
const answerMsMax = 20_000

const agent = new Agent({ keepAlive: true, maxSockets: requestsAtOnce })

let asked = 0

/** Sends a request as it is; of a stream only the beginning is read. */
function ask(url: string, drawn: DrawnRequest, { authorization }: Asker): Promise<Answer> {
  const { hostname, port } = new URL(url)
  const { method, path, body } = drawn
  // From one address, wrong tokens would soon be answered slowly.
  const address = `2001:db8:0:${(asked++ % 65_536).toString(16)}::1`
  const headers = {
    ...(authorization === undefined ? {} : { Authorization: authorization }),
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    ...drawn.headers,
    'X-Forwarded-For': address,
  }
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`${method} ${path} ${body} hangs`)),
      answerMsMax,
    )
    const sent = request({ hostname, port, method, path, headers, agent }, (response) => {
      let text = ''
      const done = () => {
        clearTimeout(timer)
        resolve({ status: response.statusCode ?? 0, text, etag: response.headers.etag })
      }
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
        if (!response.headers['content-type']?.startsWith('text/event-stream') || path === '/mcp')
          return
        response.destroy()
        done()
      })
      response.on('end', done).on('error', done)
    })
    sent.on('error', (error) => {
      clearTimeout(timer)
      reject(new Error(`${method} ${path} ${body} ${JSON.stringify(headers)}: ${error.message}`))
    })
    sent.end(body)
  })
}

/** The keys of what only an administrator may delete. */
async function deletableIn(store: Store): Promise<Set<string>> {
  const keys = new Set<string>()
  for (const prefix of ['utask_tasks', 'coven/tasks', 'tasks/task'])
    for await (const { key } of store.list(prefix)) keys.add(key)
  return keys
}

/** Things that requests may name: some of each kind, the oldest and the newest. */
async function idsIn(store: Store): Promise<string[]> {
  const ids: string[] = []
  for (const prefix of ['utask_tasks', 'coven/tasks', 'tasks/task', 'qo/tasks', 'np/s']) {
    const found: string[] = []
    for await (const { key } of store.list(prefix))
      found.push(
        key
          .split('/')
          .at(-1)
          ?.replace(/\.json$/, '') as string,
      )
    ids.push(...found.slice(0, 6), ...found.slice(6).slice(-6))
  }
  return ids
}

const holder = 'seed'

/** What somebody has claimed who asks for nothing. */
async function claimsIn(store: Store): Promise<string[]> {
  const { tasks } = await new TaskTree(store).list({ limit: 1000, claimed_by: [holder] })
  await using jobs = new TaskManager(store)
  const claimed = (await jobs.list('claimed', { limit: 1000 })).tasks
  return [
    ...tasks.filter(({ status }) => status === 'in_progress').map(({ id }) => id),
    ...claimed.filter(({ claimedBy }) => claimedBy === holder).map(({ id }) => id),
  ].sort()
}

async function askersOf(store: Store): Promise<Record<'quiet' | 'work' | 'admin', Asker[]>> {
  const tokens = new Tokens(store)
  const add = async (name: string, role: Role): Promise<Asker> => {
    const { secret } = await tokens.add(name, role)
    return { name, role, authorization: `Bearer ${secret}` }
  }
  const read = await add('reader', 'read')
  const gone = await add('gone', 'admin')
  await tokens.revoke('gone')
  const { secret } = await tokens.add('late', 'admin', { forMs: 1 })
  const stranger = (authorization: string | undefined): Asker => ({
    ...{ name: 'stranger', role: null, authorization },
  })
  const known = read.authorization as string
  return {
    quiet: [
      ...[read, read, read, { ...gone, role: null }, stranger(`Bearer ${secret}`)],
      ...[stranger(undefined), stranger(''), stranger('Bearer '), stranger(`${known}x`)],
      ...[
        stranger(known.slice(7)),
        stranger(`Basic ${known.slice(7)}`),
        stranger(known.toUpperCase()),
      ],
    ],
    work: [await add('worker', 'work')],
    admin: [await add('boss', 'admin')],
  }
}

/** Who is told to have changed a task, but for those who were there before. */
async function strangersIn(store: Store): Promise<string[]> {
  const tree = new TaskTree(store)
  const { tasks } = await tree.list({ limit: 1000, include_deleted: true })
  const names = new Set<string>()
  for (const { id, claimed_by } of tasks) {
    if (claimed_by !== null) names.add(claimed_by)
    for (const { changed_by } of await tree.history(id)) names.add(changed_by)
  }
  await using jobs = new TaskManager(store)
  for (const { claimedBy } of (await jobs.list(null, { limit: 1000 })).tasks)
    if (claimedBy !== null) names.add(claimedBy)
  return [...names].filter((name) => !/^(seed|ann|(worker|boss)(\/.+)?)$/.test(name))
}

const stores = ['memory', 'limited', 'file'] as const

async function opened(
  kind: (typeof stores)[number],
  folder: { path(name: string): string },
): Promise<Store> {
  if (kind === 'file') return openStore(`sqlite:${folder.path('tasks.db')}`)
  const store = await openStore('memory:')
  return kind === 'limited' ? limited(store, 1) : store
}

/** Things of every kind, of which some are claimed. */
async function fill(store: Store): Promise<void> {
  await seed(store)
  const tree = new TaskTree(store)
  for (let n = 0; n < 5; n++) {
    const { id } = await tree.create({ title: `t${n}` }, 'seed')
    if (n < 2) await tree.claim(id, holder)
    await new TaskList(store).add(`l${n}`)
    await new Queue(store).submit({ type: 'seed' })
  }
  await using jobs = new TaskManager(store)
  for (let n = 0; n < 5; n++) {
    const id = await jobs.submit({ payload: new Uint8Array([n]) })
    if (n < 2) await jobs.claim(id, holder)
  }
}

interface Round {
  readonly program: 'holdfast' | 'coven'
  readonly kind: (typeof stores)[number]
  readonly count: number
  readonly seed: number
}

async function round({ program, kind, count, seed: first }: Round): Promise<number> {
  await using folder = await temporaryFolder()
  await using store = counted(await opened(kind, folder))
  await fill(store)
  const askers = await askersOf(store)
  const quietly = {
    ...{ maintenanceMs: 3_600_000, monitor: { checkIntervalMs: 3_600_000 } },
    trustsProxy: true,
  }
  const log: string[] = []
  const serve = program === 'holdfast' ? servedAll : served
  await using serving = await serve(store, { ...quietly, log: (line) => log.push(line) })
  const document = (await (await fetch(`${serving.url}/openapi.json`)).json()) as OpenApi
  const draw = new Draw(first)
  const next = requestsOf(document, program === 'holdfast')
  let sent = 0
  const etags: string[] = []
  const run = async (who: readonly Asker[], many: number) => {
    const ids = await idsIn(store)
    let left = many
    const one = async () => {
      while (left-- > 0) {
        const asker = draw.of(who)
        const drawn = next(draw, asker.name, { ids, etags })
        const answer = await ask(serving.url, drawn, asker)
        if (answer.etag !== undefined) etags.unshift(answer.etag)
        etags.splice(etagsMax)
        const flaw = flawOf(drawn, asker, answer)
        const { operation: _, ...shown } = drawn
        assert.equal(
          flaw,
          null,
          `seed ${first}: ${asker.name} ${JSON.stringify(shown)}: ${answer.status} ${answer.text.slice(0, 500)}\n${log.join('\n')}`,
        )
        sent++
      }
    }
    await Promise.all(Array.from({ length: requestsAtOnce }, one))
  }
  for (const many of [count / 4, count / 4]) {
    const part = Math.floor(many * 0.5)
    store.reset()
    await run(askers.quiet, part)
    assert.equal(store.counts.commit, 0, 'who may not write has written')
    const before = await deletableIn(store)
    const claims = await claimsIn(store)
    await run(askers.work, many)
    const after = await deletableIn(store)
    assert.deepEqual(await claimsIn(store), claims, 'a worker has taken a claim away')
    assert.deepEqual(
      [...before].filter((key) => !after.has(key)),
      [],
      'a worker has deleted',
    )
    await run(askers.admin, many - part)
  }
  assert.deepEqual(await strangersIn(store), [])
  assert.deepEqual(log, [])
  return sent
}

describe('requests that nobody would write', () => {
  test(`${requestsInAll} of them, by all roles: no failure, nothing beyond the role, no hang`, async () => {
    let sent = 0
    for (let n = 0; sent < requestsInAll; n++) {
      const program = n % 4 === 3 ? 'coven' : 'holdfast'
      const kind = stores[n % stores.length] as (typeof stores)[number]
      sent += await round({ program, kind, count: requestsOfRound, seed: 1_000 + n })
    }
    agent.destroy()
  }, 3_600_000)
})
