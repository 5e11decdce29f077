import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const runsDefault = 40
const binOf = (name: string) => fileURLToPath(new URL(`../../bin/${name}`, import.meta.url))
const [ut, coven, qo] = [binOf('ut'), binOf('coven'), binOf('qo')]

/** How long a command takes from start to end, beside a Node that does nothing. */
export async function benchStartup([runs = String(runsDefault)]: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const stores = {
    empty: `sqlite:${join(folder, 'empty.db')}`,
    filling: `sqlite:${join(folder, 'filling.db')}`,
  }
  try {
    makeEmpty(stores.empty)
    const task = ['task', 'create', '--title', 'Buy milk', '--tags', 'errand']
    report(Number(runs), {
      'node -e 0': ['-e', '0'],
      'ut --help': [ut, '--help'],
      'ut ls, no task': [ut, 'ls', '--store', stores.empty],
      'ut add': [ut, 'add', 'Buy milk', '-t', 'errand', '--store', stores.filling],
      'coven --help': [coven, '--help'],
      'coven task list, no task': [coven, 'task', 'list', '--store', stores.empty],
      'coven task create': [coven, ...task, '--store', stores.filling],
      'qo --help': [qo, '--help'],
      'qo list, no task': [qo, 'list', '--store', stores.empty],
      'qo submit': [qo, 'submit', '-t', 'send_email', '-i', '{}', '--store', stores.filling],
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function makeEmpty(store: string): void {
  const { data } = JSON.parse(output([ut, 'add', 'x', '--json', '--store', store]))
  output([ut, 'rm', data.id, '--store', store])
}

function report(runs: number, commands: Readonly<Record<string, readonly string[]>>): void {
  const times = Object.entries(commands).map(([name, args]) => ({ name, args, ms: [] as number[] }))
  // In turns, so that whatever else the machine does meets all of them alike.
  for (let run = 0; run < runs; run++)
    for (const { args, ms } of times) {
      const start = performance.now()
      output(args)
      ms.push(performance.now() - start)
    }
  const [base = Number.NaN] = times.map(({ ms }) => median(ms))
  console.log(`Medians of ${runs} runs in turns, Node ${process.version}`)
  for (const { name, ms } of times) {
    const [time, ratio] = [median(ms).toFixed(1), (median(ms) / base).toFixed(2)]
    console.log(`${name.padEnd(26)}${time.padStart(7)} ms${ratio.padStart(7)} ×`)
  }
}

/** Certificates that a machine adds are read by an older Node whenever it starts, for longer than all of this takes. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

function output(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
