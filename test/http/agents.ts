import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Task } from '../../src/tree/index.ts'
import { Child } from '../child.ts'

/** How many of the claims are given back. */
const releasedShare = 0.1
/** How much of what is ready an agent chooses from; the slower it is, the sooner what comes first is taken. */
const readyLimit = { http: 20, program: 1_000 }

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

/** What became of a step; in doubt where the answer was lost. */
type Outcome = 'done' | 'refused' | 'in doubt'

/** One way to work on a tree. What fails because the store is busy is tried again by it. */
interface Way {
  ready(): Promise<readonly Pick<Task, 'id'>[]>
  look(id: string): Promise<Task>
  claim(id: string): Promise<Outcome>
  release(id: string): Promise<Outcome>
  complete(id: string): Promise<Outcome>
}

/** After so many lost answers one after the other there is nobody who could answer. */
const lostMax = 20

/** Whether a step was made: by its answer, or where that was lost by a look, as the API and the program advise. */
async function isMade(
  step: () => Promise<Outcome>,
  isSeen: () => Promise<boolean>,
): Promise<boolean> {
  for (let lost = 0; lost < lostMax; lost++) {
    const outcome = await step()
    if (outcome === 'done') return true
    if (outcome === 'refused' && lost === 0) return false
    if (await isSeen()) return true
    if (outcome === 'refused') return false
  }
  throw new Error(`No answer came in ${lostMax} tries.`)
}

/** Claims what is ready until nothing is, and closes it or gives it back. */
async function work(way: Way, name: string, deeds: Deeds, onFirst = () => {}): Promise<void> {
  const isMine = async (id: string): Promise<boolean> => {
    const { status, claimed_by } = await way.look(id)
    return status === 'in_progress' && claimed_by === name
  }
  for (;;) {
    const ready = await way.ready()
    // Not all the first one: they would fight for it.
    const task = ready[Math.floor(Math.random() * ready.length)]
    if (!task) break
    const { id } = task
    const isClaimed = await isMade(
      () => way.claim(id),
      () => isMine(id),
    )
    if (!isClaimed) continue
    deeds.note(id, 'in_progress', name)
    onFirst()
    const isGivenBack = Math.random() < releasedShare
    const isLeft = await isMade(
      () => (isGivenBack ? way.release(id) : way.complete(id)),
      async () => !(await isMine(id)),
    )
    assert.ok(isLeft, `${id} could not be ${isGivenBack ? 'given back' : 'closed'}`)
    deeds.note(id, isGivenBack ? 'open' : 'closed', name)
  }
  onFirst()
}

/** An agent that knows nothing but the address of a server; `onFirst` when it has its first task. */
export function httpAgent(
  url: string,
  name: string,
  deeds: Deeds,
  onFirst: () => void,
): Promise<void> {
  const headers = { 'X-Agent-ID': name, 'Content-Type': 'application/json' }
  const ask = async (path: string, init: RequestInit = {}): Promise<Told> => {
    for (;;) {
      const told = await answerOf(`${url}/api/tasks/${path}`, init)
      // Too many want the store at once: nothing has happened, as the answer says.
      if (told.status !== 503 || told.body?.details?.outcome !== 'unavailable') return told
    }
  }
  const read = async <T>(path: string): Promise<T> => {
    for (let lost = 0; lost < lostMax; lost++) {
      const { status, body } = await ask(path)
      if (status === 200) return body as T
      assert.equal(status, answerLost, `${path} answered ${status}`)
    }
    throw new Error(`${path} was not answered in ${lostMax} tries.`)
  }
  const post = async (path: string, body = '{}'): Promise<Outcome> => {
    const { status } = await ask(path, { method: 'POST', headers, body })
    assert.ok([200, 409, 503, answerLost].includes(status), `${path} answered ${status}`)
    return status === 200 ? 'done' : status === 409 ? 'refused' : 'in doubt'
  }
  const way: Way = {
    ready: () => read(`ready?limit=${readyLimit.http}`),
    look: (id) => read(id),
    claim: (id) => post(`${id}/claim`),
    release: (id) => post(`${id}/release`),
    complete: (id) => post(`${id}/complete`, '{"skip_review":true}'),
  }
  return work(way, name, deeds, onFirst)
}

interface Told {
  readonly status: number
  readonly body: { readonly details?: { readonly outcome?: string } } | undefined
}

/** Stands for a status where the connection broke: a server ends one that was idle, just when it is used again. */
const answerLost = 0

async function answerOf(url: string, init: RequestInit): Promise<Told> {
  try {
    const response = await fetch(url, init)
    return { status: response.status, body: (await response.json()) as Told['body'] }
  } catch (error) {
    assert.ok(error instanceof TypeError, String(error))
    return { status: answerLost, body: undefined }
  }
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
  const coven = (...args: readonly string[]) => run(['task', ...args, '--json'], { cwd, env })
  const read = async (...args: readonly string[]) => {
    for (;;) {
      const { code, stdout } = await coven(...args)
      if (code === 0) return JSON.parse(stdout).data
      assert.equal(code, storeBusy, `${args.join(' ')}: ${stdout}`)
    }
  }
  const change = async (...args: readonly string[]): Promise<Outcome> => {
    const { code, stdout } = await coven(...args)
    assert.ok([0, storeBusy, ...refusals].includes(code), `${args.join(' ')}: ${stdout}`)
    return code === 0 ? 'done' : code === storeBusy ? 'in doubt' : 'refused'
  }
  const way: Way = {
    ready: () => read('ready', '--limit', `${readyLimit.program}`),
    look: (id) => read('show', id),
    claim: (id) => change('claim', id),
    release: (id) => change('release', id),
    complete: (id) => change('complete', id, '--skip-review'),
  }
  return work(way, name, deeds, onFirst)
}

/** Nothing has happened, or nobody knows. */
const storeBusy = 7
/** An invalid transition; claimed by another; not the owner. */
const refusals = [11, 12, 13]
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
  await Child.startTogether([child])
  const { done } = await child.message<{ done: string[] }>()
  for (const id of done)
    for (const status of ['in_progress', 'closed']) deeds.note(id, status, name)
}
