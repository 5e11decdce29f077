import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStore } from 'holdfast/store'
import { TaskTree } from 'holdfast/tree'
import { Lane } from './client.js'

const lanes = 16
const samples = 5
const getsOfSample = 8_000
const claimsOfSample = 1_000
const coven = fileURLToPath(new URL('../../../bin/coven', import.meta.url))
const bare = fileURLToPath(new URL('./bare.js', import.meta.url))

const steps = ['GET task', 'POST claim'] as const
const sides = ['bare', 'coven'] as const
type Pair = Record<(typeof sides)[number], number>

/** The API on a SQLite file beside a server of the same framework that returns a constant, in turns. */
export async function benchHttp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const children: ChildProcess[] = []
  try {
    const url = `sqlite:${join(folder, 'tasks.db')}`
    const { ids, bytes } = await plant(url)
    const ports = { bare: await startBare(children, bytes), coven: await startCoven(children, url) }
    const figures = new Map<string, Pair[]>(steps.map((step) => [step, []]))
    // The first round warms both up, and does not count.
    for (let sample = 0; sample <= samples; sample++)
      for (const step of steps) {
        const pair: Pair = { bare: 0, coven: 0 }
        for (const side of sample % 2 ? sides : sides.toReversed())
          pair[side] = await perSecond(ports[side], step, ids.slice(sample * claimsOfSample))
        if (sample > 0) figures.get(step)?.push(pair)
      }
    report(figures)
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
}

/** A task for each claim. */
async function plant(url: string): Promise<{ ids: string[]; bytes: number }> {
  const store = await openStore(url)
  const tree = new TaskTree(store)
  const { id: parent_id } = await tree.create({ title: 'Release 1.0', type: 'epic' })
  const titles = Array.from({ length: (samples + 1) * claimsOfSample }, (_, n) => `Task ${n}`)
  const body = 'What is to be done, in a sentence or two, as an agent would write it down.'
  const tasks = await Promise.all(
    titles.map((title) => tree.create({ title, body, parent_id, tags: ['bench', 'http'] })),
  )
  await store[Symbol.asyncDispose]()
  return { ids: tasks.map(({ id }) => id), bytes: JSON.stringify(tasks[0]).length }
}

async function startBare(children: ChildProcess[], bytes: number): Promise<number> {
  const child = fork(bare, [String(bytes)])
  children.push(child)
  const [port] = await once(child, 'message')
  return port as number
}

async function startCoven(children: ChildProcess[], url: string): Promise<number> {
  const args = [coven, 'serve', '--port', '0', '--store', url]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [line] = await once(child.stdout, 'data')
  return Number(/:(\d+)\s/.exec(String(line))?.[1])
}

async function perSecond(
  port: number,
  step: (typeof steps)[number],
  ids: readonly string[],
): Promise<number> {
  const isGet = step === 'GET task'
  const count = isGet ? getsOfSample : claimsOfSample
  const open = await Promise.all(Array.from({ length: lanes }, () => Lane.open(port)))
  let next = 0
  const start = performance.now()
  await Promise.all(
    open.map(async (lane) => {
      for (let n = next++; n < count; n = next++) {
        const path = `/api/tasks/${ids[n % claimsOfSample]}`
        const status = await (isGet ? lane.ask('GET', path) : lane.ask('POST', `${path}/claim`))
        if (status !== 200) throw new Error(`${step} was answered with ${status}`)
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  for (const lane of open) lane[Symbol.dispose]()
  return count / seconds
}

function report(figures: ReadonlyMap<string, readonly Pair[]>): void {
  console.log('| request | bare server /s | coven /s | coven of bare |\n|---|--:|--:|--:|')
  for (const [step, pairs] of figures) {
    const [plain, ours] = sides.map((side) => Math.round(median(pairs.map((pair) => pair[side]))))
    const share = Math.round(100 * median(pairs.map((pair) => pair.coven / pair.bare)))
    console.log(`| ${step} | ${plain} | ${ours} | ${share} % |`)
  }
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
