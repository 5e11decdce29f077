import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { kinds } from './kinds.ts'
import { named } from './usage.ts'

const root = process.cwd()
const folder = join(root, 'test/sim/bugs')
const runsMax = 2_000
const parts = ['src', 'bench', 'test', 'package.json', 'tsconfig.json', 'tsconfig.tools.json']

interface Bug {
  readonly name: string
  readonly file: string
  /** What is wrong with it. */
  readonly what: string
  readonly model: string
}

/** How soon the simulator finds a bug, and in how many steps. */
interface Finding {
  readonly bug: Bug
  /** Null where it was not found. */
  readonly runs: number | null
  readonly steps: number | null
}

/** Each patch begins with a sentence about the bug that it brings, and with the model whose workload should find it. */
export function seededBugs(names: readonly string[] = []): Bug[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.patch'))
  const all = files.sort().map((file) => {
    const [head = ''] = readFileSync(join(folder, file), 'utf8').split(/^diff /m)
    const model = /^model: (\w+)$/m.exec(head)?.[1]
    if (model === undefined) throw new Error(`${file} does not say for which model it is.`)
    const what = head.replace(/^model: .*$/m, '').trim()
    return { name: file.replace(/\.patch$/, ''), file: join(folder, file), what, model }
  })
  const byName = new Map(all.map((bug) => [bug.name, bug]))
  return named('bug', byName, names.length === 0 ? undefined : names)
}

/** Puts each bug into a copy of the sources, lets the simulator look for it, and prints a table. */
export async function seekBugs(names: readonly string[]): Promise<number> {
  const bugs = seededBugs(names)
  process.stdout.write('| bug | model | seeds until found | steps in the minimal trace |\n')
  process.stdout.write('|---|---|--:|--:|\n')
  let missed = 0
  for (const bug of bugs) {
    const { runs, steps } = await seek(bug)
    if (runs === null) missed++
    const what = bug.what.replace(/\s+/g, ' ')
    process.stdout.write(
      `| ${bug.name}: ${what} | ${bug.model} | ${runs ?? `not in ${runsMax}`} | ${steps ?? ''} |\n`,
    )
  }
  process.stdout.write(`${bugs.length} bugs, ${missed} not found\n`)
  return missed === 0 ? 0 : 1
}

async function seek(bug: Bug): Promise<Finding> {
  const copy = mkdtempSync(join(tmpdir(), 'holdfast-bug-'))
  try {
    for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true })
    for (const link of ['node_modules', 'dist']) symlinkSync(join(root, link), join(copy, link))
    await inCopy('git', 'apply', bug.file)
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    await inCopy(process.execPath, compiler, '-p', 'tsconfig.tools.json')
    const sim = join(copy, '.tools/test/sim/main.js')
    // A seed is run on each kind of store, and each of these counts.
    const options = ['--first', '--seed', '1', '--seeds', String(Math.ceil(runsMax / kinds.size))]
    const said = await inCopy(process.execPath, sim, '--model', bug.model, ...options)
    const runs = /^(\d+) seeds, [1-9]/m.exec(said)?.[1]
    const steps = /^ {2}(\d+) of \d+ steps are enough/m.exec(said)?.[1]
    return { bug, runs: runs ? Number(runs) : null, steps: steps ? Number(steps) : null }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }

  /** What the program says; the simulator ends with 1 where it has found something. */
  async function inCopy(command: string, ...args: string[]): Promise<string> {
    const options = { cwd: copy, maxBuffer: 2 ** 28 }
    const run = promisify(execFile)(command, args, options)
    const { stdout } = await run.catch((error: { code?: number; stdout?: string }) => {
      if (error.code === 1 && / violations$/m.test(error.stdout ?? '')) return error
      throw error
    })
    return stdout ?? ''
  }
}
