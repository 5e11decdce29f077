import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Task } from '../../src/tree/index.ts'
import { Child } from '../child.ts'

/** How many of the claims are given back. */
const releasedShare = 0.1
/** How much of what is ready an agent looks at. */
const readyLimit = 20

/** What agents were told that they did, by task: `in_progress ann`, `closed ann`. */
export class Deeds {
  readonly #byTask = new Map<string, string[]>()

  note(id: string, status: string, name: string): void {
    this.#byTask.set(id, [...this.of(id), `${status} ${name}`])
  }

  of(id: string): readonly string[] {
    return this.#byTask.get(id) ?? []
  }

  /** How many tasks were closed by agents whose names start so. */
  closedBy(start: string): number {
    const closed = [...this.#byTask.values()].flat().filter((deed) => deed.startsWith('closed '))
    return closed.filter((deed) => deed.startsWith(`closed ${start}`)).length
  }
}

/** One way to work on a tree. What fails because the store is busy is tried again by it. */
interface Way {
  ready(): Promise<readonly Pick<Task, 'id'>[]>
  /** False where another was faster. */
  claim(id: string): Promise<boolean>
  release(id: string): Promise<void>
  complete(id: string): Promise<void>
}

/** Claims what is ready until nothing is, and closes it or gives it back. */
async function work(way: Way, name: string, deeds: Deeds, onFirst = () => {}): Promise<void> {
  for (;;) {
    const ready = await way.ready()
    // Not all the first one: they would fight for it.
    const task = ready[Math.floor(Math.random() * ready.length)]
    if (!task) break
    if (!(await way.claim(task.id))) continue
    deeds.note(task.id, 'in_progress', name)
    onFirst()
    const isGivenBack = Math.random() < releasedShare
    await (isGivenBack ? way.release(task.id) : way.complete(task.id))
    deeds.note(task.id, isGivenBack ? 'open' : 'closed', name)
  }
  onFirst()
}

/** An agent that knows nothing but the address of a server. */
export function httpAgent(url: string, name: string, deeds: Deeds): Promise<void> {
  const headers = { 'X-Agent-ID': name, 'Content-Type': 'application/json' }
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    for (;;) {
      const response = await fetch(`${url}/api/tasks/${path}`, init)
      if (response.status !== 503) return response
      // Too many want the file at once: nothing has happened, as the answer says.
      const { details } = (await response.json()) as { details?: { outcome?: string } }
      assert.equal(details?.outcome, 'unavailable')
    }
  }
  const post = async (path: string, body = '{}'): Promise<number> => {
    const response = await ask(path, { method: 'POST', headers, body })
    await response.arrayBuffer()
    return response.status
  }
  const way: Way = {
    ready: async () => (await (await ask(`ready?limit=${readyLimit}`)).json()) as Task[],
    claim: async (id) => {
      const status = await post(`${id}/claim`)
      assert.ok([200, 409].includes(status), `claim answered ${status}`)
      return status === 200
    },
    release: async (id) => assert.equal(await post(`${id}/release`), 200),
    complete: async (id) => assert.equal(await post(`${id}/complete`, '{"skip_review":true}'), 200),
  }
  return work(way, name, deeds)
}

interface Place {
  readonly url: string
  readonly cwd: string
}

/** An agent that calls the program, once for each step; `onFirst` when it has its first task. */
export function programAgent(
  { url, cwd }: Place,
  name: string,
  deeds: Deeds,
  onFirst: () => void,
): Promise<void> {
  const env = { ...process.env, HOME: cwd, COVEN_AGENT_ID: name, HOLDFAST_STORE: url }
  const coven = async (...args: readonly string[]) => {
    for (;;) {
      const ended = await run(['task', ...args, '--json'], { cwd, env })
      if (ended.code !== storeBusy) return ended
    }
  }
  const done = async (...args: readonly string[]) => {
    const { code, stdout } = await coven(...args)
    assert.equal(code, 0, `${args.join(' ')}: ${stdout}`)
    return JSON.parse(stdout)
  }
  const way: Way = {
    ready: async () => (await done('ready', '--limit', `${readyLimit}`)).data,
    claim: async (id) => {
      const { code, stdout } = await coven('claim', id)
      assert.ok([0, claimedByAnother].includes(code), `claim ended with ${code}: ${stdout}`)
      return code === 0
    },
    release: (id) => done('release', id),
    complete: (id) => done('complete', id, '--skip-review'),
  }
  return work(way, name, deeds, onFirst)
}

const storeBusy = 7
const claimedByAnother = 12
const program = join(process.cwd(), 'bin', 'coven')

function run(
  args: readonly string[],
  place: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { ...place, maxBuffer: 10_000_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code
      if (typeof code === 'number') resolve({ code, stdout })
      else reject(new Error(`${args.join(' ')}: ${error?.message} ${stderr}`))
    })
  })
}

/** An agent of the library, in a process of its own. */
export async function libraryAgent(url: string, name: string, deeds: Deeds): Promise<void> {
  await using child = new Child('tree-agent', [url, name])
  assert.equal(await child.message(), 'here')
  const { done } = await child.message<{ done: string[] }>()
  for (const id of done)
    for (const status of ['in_progress', 'closed']) deeds.note(id, status, name)
}
