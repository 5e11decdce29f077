import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { coven } from '../../../src/cli/coven.ts'
import { holdfast } from '../../../src/cli/holdfast.ts'
import { np } from '../../../src/cli/np.ts'
import type { Program } from '../../../src/cli/program/command.ts'
import { qo } from '../../../src/cli/qo.ts'
import { ut } from '../../../src/cli/ut.ts'
import { run } from '../terminal.ts'
import { trust } from '../trust.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-precedence-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Where a setting may stand, the one that counts before all others first. */
const levels = ['flag', 'environment', 'project', 'user', 'default'] as const
type Level = (typeof levels)[number]

/** A command that tells which value of a setting it took. */
interface Row {
  readonly program: Program
  readonly args: readonly string[]
  readonly setting: string
  readonly variable: string
  /** A value for each place, by which it can be recognised. */
  readonly value: (level: Level) => string
  /** What it says by default; left out where nothing can be told from that. */
  readonly byDefault?: RegExp
  /** Where it is recognised by what it is, and not by where it stood. */
  readonly isValueTold: boolean
}

const store = (program: Program, args: string[], byDefault = /holdfast\/holdfast\.db/): Row => ({
  ...{ program, args, byDefault, setting: 'store', variable: 'HOLDFAST_STORE', isValueTold: true },
  // None of these is there, and each program says so of the one that it looked for.
  value: (level) => `sqlite:${root}/none/${level}.db`,
})

const host = (program: Program): Row => ({
  ...{ program, args: ['serve', '--store', 'memory:'], setting: 'host' },
  // Elsewhere than here it wants a token, and says so before it listens.
  ...{ variable: 'HOLDFAST_HOST', isValueTold: true, value: (level) => `${level}.example` },
})

const never = ['--exec', 'x=true', '--store', 'memory:']

const rows: readonly Row[] = [
  store(ut, ['ls']),
  store(np, ['l']),
  store(coven, ['task', 'list'], /\.coven\/tasks\.db/),
  store(qo, ['list']),
  store(holdfast, ['doctor']),
  store(holdfast, ['export', '-']),
  host(coven),
  host(holdfast),
  {
    ...{ program: qo, args: ['worker', ...never], setting: 'lease', variable: 'HOLDFAST_LEASE' },
    // A duration, but too short for a lease: the refusal names where it stood.
    ...{ value: () => '1ms', isValueTold: false },
  },
]

const origins: Readonly<Record<Level, RegExp>> = {
  flag: /--lease takes no/,
  environment: /HOLDFAST_LEASE takes no/,
  project: /\.holdfast\.yaml, line 1 takes no/,
  user: /config\.yaml, line 1 takes no/,
  default: /./,
}

let count = 0

/** What is said where the setting stands in all these places. */
async function said({ program, args, setting, variable, value }: Row, places: readonly Level[]) {
  const folder = join(root, String(++count))
  const write = (path: string, level: Level) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    if (places.includes(level)) writeFileSync(join(folder, path), `${setting}: ${value(level)}\n`)
  }
  write('home/.config/holdfast/config.yaml', 'user')
  write('work/.holdfast.yaml', 'project')
  // A store elsewhere, or a host, counts in no other.
  if (places.includes('project'))
    await trust(join(folder, 'work/.holdfast.yaml'), join(folder, 'home'))
  const flag = places.includes('flag') ? [`--${setting}`, value('flag')] : []
  const env = places.includes('environment') ? { [variable]: value('environment') } : {}
  const { exit, stdout, stderr } = await run(program, [...args, ...flag], {
    cwd: join(folder, 'work'),
    env: { HOME: join(folder, 'home'), ...env },
  })
  assert.notEqual(exit, 0)
  return stdout + stderr
}

for (const row of rows)
  describe(`${row.setting} of ${row.program.name} ${row.args[0]}`, () => {
    for (const [at, level] of levels.entries()) {
      if (level === 'default' && !row.byDefault) continue
      const after = levels.slice(at + 1).join(', ') || 'nothing else'
      test(`${level} goes before ${after}`, async () => {
        const text = await said(row, levels.slice(at))
        const told = row.value(level).replace('sqlite:', '')
        if (level === 'default') assert.match(text, row.byDefault as RegExp)
        else if (row.isValueTold) assert.ok(text.includes(told), text)
        else assert.match(text, origins[level])
      })
    }
  })

describe('agent_id of coven task claim', () => {
  const folder = join(root, 'agents')
  const place = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const asked = async (args: string[], env = {}) => {
    const setting = { cwd: folder, env: { HOME: join(folder, 'home'), ...env } }
    const { stdout } = await run(coven, [...args, '--json'], setting)
    return JSON.parse(stdout).data
  }

  test('the flag goes before the environment, the project file and the user file', async () => {
    place('home/.config/holdfast/config.yaml', 'agent_id: user\n')
    await asked(['init'])
    const { id } = await asked(['task', 'create', '--title', 'x'])
    const claimant = async (args: string[], env = {}) => {
      const { claimed_by } = await asked(['task', 'claim', id, ...args], env)
      await asked(['task', 'release', id, '--force', '--agent-id', 'anybody'])
      return claimed_by
    }
    const env = { COVEN_AGENT_ID: 'environment' }
    assert.equal(await claimant([]), 'user')
    place('.holdfast.yaml', 'agent_id: project\n')
    assert.equal(await claimant([]), 'project')
    assert.equal(await claimant([], env), 'environment')
    assert.equal(await claimant(['--agent-id', 'flag'], env), 'flag')
  })
})
