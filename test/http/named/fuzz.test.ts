import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { describe, test } from 'vitest'
import { includes, type Role, Tokens } from '../../../src/access/index.ts'
import type { OpenApi } from '../../../src/http/openapi.ts'
import { TaskManager } from '../../../src/jobs/index.ts'
import { TaskList } from '../../../src/list/index.ts'
import { Queue } from '../../../src/queue/index.ts'
import { counted, openStore, type Store } from '../../../src/store/index.ts'
import { TaskTree } from '../../../src/tree/index.ts'
import { seed, withDirectories } from '../holdfast/ground.ts'
import { servedAll } from '../holdfast/served.ts'
import { served } from '../served.ts'
import { Draw } from './draw.ts'
import { type DrawnRequest, requestsOf } from './drawn-request.ts'

withDirectories()

const isLong = process.env['HOLDFAST_FUZZ'] === '1'
const requestsInAll = isLong ? 100_000 : 1_500
/** Each on a store of its own: what many requests have made slows those that follow. */
const requestsOfRound = isLong ? 2_000 : 750
const requestsAtOnce = 8
const answerMsMax = 20_000

interface Asker {
  readonly name: string
  /** Null for who must not be let in. */
  readonly role: Role | null
  readonly authorization: string | undefined
}

interface Answer {
  readonly status: number
  readonly text: string
}

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
        resolve({ status: response.statusCode ?? 0, text })
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

const openPages = /^\/(docs(\/style\.css)?|openapi\.json)?\/?$/

/** What is wrong with an answer, given who asked. */
function flawOf(drawn: DrawnRequest, { role }: Asker, { status, text }: Answer): string | null {
  const [path] = drawn.path.split('?') as [string]
  if (status >= 500) return 'a failure of ours'
  const code = /"code":"(\w+)"/.exec(text)?.[1]
  if (status === 403 && drawn.headers['Origin'] !== undefined) return null
  if (role === null) {
    if (
      status === 401 ||
      (openPages.test(path) && ['GET', 'HEAD', 'OPTIONS'].includes(drawn.method))
    )
      return null
    return [404, 405].includes(status) && openPages.test(path) ? null : 'a stranger was let in'
  }
  if (status === 401) return 'nobody was let in'
  if (code === 'FORBIDDEN_AGENT' || drawn.method === 'HEAD') return null
  if (!drawn.operation || !drawn.isPlain) return null
  const isAllowed = includes(role, drawn.operation['x-role'])
  if (!isAllowed && ![403, 404, 405].includes(status)) return `${role} was let in`
  if (
    isAllowed &&
    code === 'FORBIDDEN_ROLE' &&
    !/[?&]force=true|"action":"delete"/.test(drawn.path + drawn.body)
  )
    return `${role} was not let in`
  if (
    role === 'work' &&
    status < 300 &&
    /[?&]force=true/.test(drawn.path) &&
    path.endsWith('/release')
  )
    return 'a release was forced'
  return null
}

/** The keys of what only an administrator may delete. */
async function deletableIn(store: Store): Promise<Set<string>> {
  const keys = new Set<string>()
  for (const prefix of ['utask_tasks', 'coven/tasks', 'tasks/task'])
    for await (const { key } of store.list(prefix)) keys.add(key)
  return keys
}

/** Things that requests may name. */
async function idsIn(store: Store): Promise<string[]> {
  const ids: string[] = []
  for await (const { key } of store.list(''))
    if (/^(utask_tasks|coven\/tasks|tasks\/task|qo\/tasks|np\/s)\//.test(key))
      ids.push(
        key
          .split('/')
          .at(-1)
          ?.replace(/\.json$/, '') as string,
      )
  return ids.slice(-40)
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
  return [...names].filter((name) => !/^(seed|ann|(worker|boss)(\/.+)?)$/.test(name))
}

interface Round {
  readonly program: 'holdfast' | 'coven'
  readonly count: number
  readonly seed: number
}

async function round({ program, count, seed: first }: Round): Promise<number> {
  await using store = counted(await openStore('memory:'))
  await seed(store)
  const tree = new TaskTree(store)
  for (let n = 0; n < 5; n++) {
    const { id } = await tree.create({ title: `t${n}` }, 'seed')
    if (n < 2) await tree.claim(id, 'seed')
    await new TaskList(store).add(`l${n}`)
    await new Queue(store).submit({ type: 'seed' })
  }
  await using jobs = new TaskManager(store)
  for (let n = 0; n < 5; n++) await jobs.submit({ payload: new Uint8Array([n]) })
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
  const run = async (who: readonly Asker[], many: number) => {
    const ids = await idsIn(store)
    let left = many
    const one = async () => {
      while (left-- > 0) {
        const asker = draw.of(who)
        const drawn = next(draw, asker.name, ids)
        const answer = await ask(serving.url, drawn, asker)
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
    await run(askers.work, many)
    const after = await deletableIn(store)
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
      sent += await round({ program, count: requestsOfRound, seed: 1_000 + n })
    }
    agent.destroy()
  }, 3_600_000)
})
