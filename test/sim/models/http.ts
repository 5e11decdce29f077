import type { Store } from '../../../src/store/index.ts'
import type { Client, Model, Play, Scene } from '../model.ts'
import type { Process } from '../process.ts'
import type { Random } from '../random.ts'
import { type Asked, HttpOracle } from './http-oracle.ts'
import { type Answer, SimServer } from './http-server.ts'

/** Servers of one store, and clients that race for the same keys, jobs and tasks, some on a state they have seen before. */
export const http: Model = {
  name: 'http',
  clientsMax: 3,
  stepsMax: 30,
  steps: {
    submitJob: 10,
    claimNextJob: 8,
    claimJob: 6,
    completeJob: 8,
    failJob: 4,
    retryJob: 3,
    deleteJob: 3,
    readJob: 3,
    createTask: 6,
    patchTask: 8,
    claimTask: 8,
    releaseTask: 3,
    completeTask: 4,
    readTask: 3,
    submitQueue: 8,
    changeQueue: 6,
    readQueue: 2,
  },
  open: (scene) => new HttpPlay(scene),
}

const keyNames = ['a', 'b']
const racersMax = 3

/** What a client has read last of something: it may act on that state. */
interface Seen {
  readonly path: string
  readonly etag: string | null
  readonly body: Answer['body']
}

class HttpPlay implements Play {
  readonly #scene: Scene
  readonly #oracle: HttpOracle
  readonly #seen: Record<'jobs' | 'tasks' | 'queue', Seen[]> = { jobs: [], tasks: [], queue: [] }
  #marks = 0

  constructor(scene: Scene) {
    this.#scene = scene
    this.#oracle = new HttpOracle(scene)
  }

  applied: Play['applied'] = (writes) => this.#oracle.applied(writes)

  open(process: Process, store: Store): Client {
    const newMark = () => `mark${++this.#marks}`
    return new HttpClient({
      ...{ process, newMark, scene: this.#scene, oracle: this.#oracle, seen: this.#seen },
      server: new SimServer(store),
    })
  }

  settled: Play['settled'] = async () => this.#oracle.settled()
}

interface Tools {
  readonly server: SimServer
  readonly process: Process
  readonly scene: Scene
  readonly oracle: HttpOracle
  readonly seen: Record<'jobs' | 'tasks' | 'queue', Seen[]>
  readonly newMark: () => string
}

class HttpClient implements Client {
  readonly #tools: Tools

  constructor(tools: Tools) {
    this.#tools = tools
  }

  close(): Promise<void> {
    return this.#tools.server.close()
  }

  /** Sometimes several clients of one server do the same at the same time. */
  async perform(what: string, random: Random): Promise<void> {
    const racers = random.chance(0.25) ? random.int(2, racersMax) : 1
    const act = (this as unknown as Record<string, (random: Random) => Promise<void>>)[what]
    await Promise.all(Array.from({ length: racers }, () => act?.call(this, random)))
  }

  submitJob(random: Random): Promise<void> {
    const mark = this.#tools.newMark()
    const key = random.chance(0.7) ? random.pick(keyNames) : null
    const body = { payload: { mark }, idempotency_key: key, max_attempts: random.int(0, 2) }
    return this.#ask({ kind: 'jobs', what: 'create', mark, key }, '/api/jobs', { body })
  }

  claimNextJob(): Promise<void> {
    const mark = this.#tools.newMark()
    const body = { worker_id: mark }
    return this.#ask({ kind: 'jobs', what: 'claimNext', mark }, '/api/jobs/claim-next', { body })
  }

  claimJob(random: Random): Promise<void> {
    const mark = this.#tools.newMark()
    return this.#verb('jobs', 'claim', random, { mark, body: { worker_id: mark } })
  }

  completeJob(random: Random): Promise<void> {
    const mark = this.#tools.newMark()
    return this.#verb('jobs', 'complete', random, {
      ...{ mark, body: { result: { mark } }, isFenced: random.chance(0.7) },
    })
  }

  failJob(random: Random): Promise<void> {
    const mark = this.#tools.newMark()
    return this.#verb('jobs', 'fail', random, {
      ...{ mark, body: { error: mark }, isFenced: random.chance(0.7) },
    })
  }

  retryJob(random: Random): Promise<void> {
    return this.#verb('jobs', 'retry', random, { body: { attempts: random.int(0, 1) } })
  }

  deleteJob(random: Random): Promise<void> {
    return this.#verb('jobs', '', random, { method: 'DELETE' })
  }

  readJob(random: Random): Promise<void> {
    return this.#verb('jobs', '', random, { method: 'GET' })
  }

  createTask(): Promise<void> {
    const mark = this.#tools.newMark()
    return this.#ask({ kind: 'tasks', what: 'create', mark }, '/api/tasks', {
      body: { title: mark },
    })
  }

  patchTask(random: Random): Promise<void> {
    const mark = this.#tools.newMark()
    return this.#verb('tasks', '', random, { method: 'PATCH', mark, body: { title: mark } })
  }

  claimTask(random: Random): Promise<void> {
    const mark = this.#tools.newMark()
    return this.#verb('tasks', 'claim', random, { mark, headers: { 'X-Agent-ID': mark } })
  }

  releaseTask(random: Random): Promise<void> {
    return this.#verb('tasks', 'release', random, { isHolder: true })
  }

  completeTask(random: Random): Promise<void> {
    return this.#verb('tasks', 'complete', random, { isHolder: true })
  }

  readTask(random: Random): Promise<void> {
    return this.#verb('tasks', '', random, { method: 'GET' })
  }

  submitQueue(random: Random): Promise<void> {
    const mark = this.#tools.newMark()
    const key = random.chance(0.7) ? random.pick(keyNames) : null
    const body = { type: 'mail', input: { mark }, idempotency_key: key }
    return this.#ask({ kind: 'queue', what: 'create', mark, key }, '/api/queue/tasks', { body })
  }

  changeQueue(random: Random): Promise<void> {
    const verb = random.pick(['cancel', 'replay', 'archive', 'unarchive'])
    return this.#verb('queue', verb, random)
  }

  readQueue(random: Random): Promise<void> {
    return this.#verb('queue', '', random, { method: 'GET' })
  }

  /** Does something to one that somebody has seen; in half of all cases only in the state that it had then. */
  async #verb(kind: Asked['kind'], verb: string, random: Random, how: How = {}): Promise<void> {
    const { seen } = this.#tools
    if (seen[kind].length === 0) return
    const { path, etag, body } = random.pick(seen[kind].slice(-6))
    const isOn = how.method !== 'GET' && etag !== null && random.chance(0.5)
    const fence = how.isFenced ? { worker_id: body['claimed_by'], attempt: body['attempts'] } : {}
    if (how.isFenced && body['claimed_by'] === null) return
    const holder = how.isHolder ? { 'X-Agent-ID': String(body['claimed_by'] ?? 'nobody') } : {}
    await this.#ask(
      { kind, what: verb || (how.method as string), path, mark: how.mark, on: isOn ? body : null },
      verb === '' ? path : `${path}/${verb}`,
      {
        method: how.method,
        headers: { ...how.headers, ...holder, ...(isOn ? { 'If-Match': etag } : {}) },
        body: how.body && { ...how.body, ...fence },
      },
    )
  }

  async #ask(asked: Omit<Asked, 'sinceMs'>, path: string, how: How): Promise<void> {
    const { server, process, scene, oracle, seen } = this.#tools
    const request = { method: how.method ?? 'POST', path, ...definedIn(how) }
    const sinceMs = scene.world.nowMs
    scene.note(process, () => `${request.method} ${path} ${JSON.stringify(how)} …`)
    const answer = await server.ask(request)
    if (answer === null) return
    const { status, body, etag } = answer
    scene.note(process, () => `… ${status} ${etag} ${JSON.stringify(body)}`)
    oracle.heard({ ...asked, sinceMs }, answer)
    const id = body['id']
    if (status >= 300 || typeof id !== 'string') return
    seen[asked.kind].push({ path: `${roots[asked.kind]}/${id}`, etag, body })
  }
}

const roots = { jobs: '/api/jobs', tasks: '/api/tasks', queue: '/api/queue/tasks' } as const

interface How {
  readonly method?: string | undefined
  readonly mark?: string
  readonly body?: Readonly<Record<string, unknown>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether it names the claim that was seen, or speaks as who has it. */
  readonly isFenced?: boolean
  readonly isHolder?: boolean
}

const definedIn = ({ body, headers }: How) => ({
  ...(body === undefined ? {} : { body }),
  ...(headers === undefined ? {} : { headers }),
})
