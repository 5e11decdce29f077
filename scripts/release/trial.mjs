import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const trialMsMax = 60_000

/** What a user might write first: every entry point, and a store that keeps what it was given. */
const program = `
import { readFileSync } from 'node:fs'
import { openStore } from 'holdfast/store'
import { TaskList } from 'holdfast/list'
const { exports } = JSON.parse(readFileSync('node_modules/holdfast/package.json', 'utf8'))
for (const path of Object.keys(exports))
  if (!path.endsWith('.json')) await import('holdfast' + path.slice(1))
// The screens, which have what draws them in them.
await import(process.cwd() + '/node_modules/holdfast/dist/tui/index.js')
for (const url of ['memory:', 'sqlite:' + process.argv[2]]) {
  // Older Nodes know no "using".
  const store = await openStore(url)
  const list = new TaskList(store)
  await list.add('Buy milk', ['errand'])
  const [task] = await list.query({ any: ['errand'] })
  if (task.text !== 'Buy milk') throw new Error('not found again on ' + url)
  await store[Symbol.asyncDispose]()
}
console.log('holdfast works')
`

/** Runs library and programs of an installed package. */
export async function tryPackage(node, project) {
  const folder = mkdtempSync(join(project, 'trial-'))
  const run = (...args) =>
    execFileSync(node, args, {
      cwd: project,
      encoding: 'utf8',
      timeout: trialMsMax,
      env: { PATH: process.env['PATH'], HOME: folder, HOLDFAST_STORE: `sqlite:${folder}/ut.db` },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const bin = (name, ...args) => run(join('node_modules/holdfast/bin', name), ...args)
  try {
    const file = join(project, 'trial.mjs')
    writeFileSync(file, program)
    expect(run(file, join(folder, 'library.db')), /^holdfast works$/m)
    bin('ut', 'add', 'Buy milk', '-t', 'errand')
    expect(bin('ut', 'ls'), /Buy milk {2}\[errand\]/)
    bin('np', 's')
    expect(bin('np', 'prime'), /Rules of working with np/)
    expect(bin('coven', 'task', 'create', '--title', 'Try it'), /^Created task /)
    expect(bin('qo', 'submit', '-t', 'try', '-i', '{}'), /^Task submitted: /)
    expect(bin('holdfast', 'doctor'), /^ok {4}list\.index/m)
    const copy = join(folder, 'all.ndjson')
    expect(bin('holdfast', 'export', copy), /^Exported \d+ documents \(1 list, \d+ plan, /)
    expect(bin('holdfast', 'import', copy, '--store', `sqlite:${folder}/copy.db`), /^Imported /)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function expect(text, form) {
  if (!form.test(text)) throw new Error(`${form} is not in:\n${text}`)
}
