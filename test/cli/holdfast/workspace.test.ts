import assert from 'node:assert/strict'
import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { coven } from '../../../src/cli/coven.ts'
import { holdfast } from '../../../src/cli/holdfast.ts'
import { np } from '../../../src/cli/np.ts'
import type { Program } from '../../../src/cli/program/command.ts'
import { qo } from '../../../src/cli/qo.ts'
import { ut } from '../../../src/cli/ut.ts'
import { openStore } from '../../../src/store/index.ts'
import { TaskTree } from '../../../src/tree/index.ts'
import { until } from '../../eventually.ts'
import { Served } from '../../http/process.ts'
import { run } from '../terminal.ts'
import { Desk } from './desk.ts'

/** The same program, with a command that names the store it would use. */
const naming = (program: Program): Program => ({
  ...program,
  commands: [
    {
      name: 'which',
      about: 'name the store',
      async run(context) {
        context.out.say((await context.storeChoice()).url)
      },
    },
  ],
})

/** A project with a workspace, one in it, and a folder that belongs to none. */
function laidOut(): Desk {
  const desk = new Desk()
  for (const folder of ['project/.coven', 'project/src/deep', 'project/sub/.coven', 'elsewhere'])
    mkdirSync(desk.path(folder), { recursive: true })
  return desk
}

const inside = ['project', 'project/src/deep', 'project/sub', 'project/.coven']

/** What may name a store instead, laid into a desk. */
const stores: Readonly<Record<string, (desk: Desk) => { args?: string[]; env?: object }>> = {
  nothing: () => ({}),
  'the user file': (desk) => {
    desk.write('home/.config/holdfast/config.yaml', 'store: sqlite:/user.db\n')
    return {}
  },
  'a project file above the workspace': (desk) => {
    desk.write('.holdfast.yaml', 'store: sqlite:above.db\n')
    return {}
  },
  'a project file beside the workspace': (desk) => {
    desk.write('project/.holdfast.yaml', 'store: sqlite:.coven/other.db\n')
    return {}
  },
  'a project file without a store': (desk) => {
    desk.write('project/.holdfast.yaml', 'lease: 1m\n')
    return {}
  },
  'the environment': () => ({ env: { HOLDFAST_STORE: 'sqlite:relative.db' } }),
  'an empty variable': () => ({ env: { HOLDFAST_STORE: '' } }),
  'a flag': () => ({ args: ['--store', 'nats://h:1'], env: { HOLDFAST_STORE: 'memory:x' } }),
}

describe('inside a coven workspace', () => {
  for (const [what, lay] of Object.entries(stores))
    test(`holdfast chooses the store as coven does, with ${what} naming one`, async () => {
      using desk = laidOut()
      const { args = [], env = {} } = lay(desk)
      const choiceOf = async (program: Program, folder: string) => {
        const setting = { cwd: desk.path(folder), env: { HOME: desk.path('home'), ...env } }
        const { exit, stdout } = await run(naming(program), ['which', ...args], setting)
        assert.equal(exit, 0)
        return stdout
      }
      for (const folder of inside)
        assert.equal(await choiceOf(holdfast, folder), await choiceOf(coven, folder), folder)
      // The others know nothing of workspaces.
      for (const folder of [...inside, 'elsewhere'])
        for (const program of [np, qo])
          assert.equal(await choiceOf(program, folder), await choiceOf(ut, folder), folder)
      assert.equal(await choiceOf(holdfast, 'elsewhere'), await choiceOf(ut, 'elsewhere'))
      if (what === 'nothing') {
        const own = (folder: string) => `sqlite:${desk.path(folder)}/.coven/tasks.db\n`
        assert.equal(await choiceOf(holdfast, 'project/src/deep'), own('project'))
        assert.equal(await choiceOf(holdfast, 'project/sub'), own('project/sub'))
        assert.equal(
          await choiceOf(ut, 'project'),
          `sqlite:${desk.path('home/.local/share/holdfast/holdfast.db')}\n`,
        )
      }
    })

  test('holdfast config names the workspace, and the store of the other programs', async () => {
    using desk = laidOut()
    const cwd = desk.path('project/src')
    const folder = desk.path('project/.coven')
    const { stdout, stderr } = await desk.run(['config'], { cwd })
    const [first] = stdout.split('\n') as [string]
    assert.match(first, /^store +/)
    assert.ok(first.includes(`sqlite:${folder}/tasks.db`) && first.endsWith(`workspace ${folder}`))
    const user = `sqlite:${desk.path('home/.local/share/holdfast/holdfast.db')}`
    assert.equal(
      stderr,
      `holdfast: ut, np and qo do not use the workspace: their default is ${user}.\n`,
    )
    const json = await desk.run(['config', '--json'], { cwd })
    assert.equal(json.stderr, '')
    assert.deepEqual(JSON.parse(json.stdout).data[0], {
      key: 'store',
      value: `sqlite:${folder}/tasks.db`,
      source: 'workspace',
      origin: `workspace ${folder}`,
    })
    const named = await desk.run(['config', '--store', 'memory:x'], { cwd })
    assert.equal(named.stderr, '')
  })

  test('doctor, export and import work on the tree of coven, and name the store', async () => {
    using desk = laidOut()
    const project = { cwd: desk.path('project') }
    const url = `sqlite:${desk.path('project/.coven/tasks.db')}`
    // A workspace that has no store yet.
    for (const command of ['doctor', 'export']) {
      const { exit, stdout, stderr } = await desk.run([command], project)
      assert.equal(exit, 4)
      assert.ok(`${stdout}${stderr}`.includes(desk.path('project/.coven/tasks.db')), command)
      assert.ok(!existsSync(desk.path('project/.coven/tasks.db')))
    }
    const created = ['task', 'create', '--title', 'Ship it']
    assert.equal((await run(coven, created, project)).exit, 0)
    const doctor = await desk.run(['doctor'], { cwd: desk.path('project/src/deep') })
    assert.equal(doctor.exit, 0)
    assert.match(doctor.stdout, /tree\.documents +tasks: 1$/m)
    assert.ok(doctor.stdout.includes(`${url} answers`))
    const exported = await desk.run(['export', 'all.ndjson', '--json'], project)
    assert.deepEqual(JSON.parse(exported.stdout).data.models, { tree: 1 })
    const folder = desk.path('project/.coven')
    assert.equal(exported.stderr, `holdfast: The store is ${url} (workspace ${folder}).\n`)
    const into = { cwd: desk.path('project/sub') }
    const file = desk.path('project/all.ndjson')
    const { exit, stderr } = await desk.run(['import', file], into)
    const target = `sqlite:${desk.path('project/sub/.coven/tasks.db')}`
    assert.deepEqual([exit, stderr.includes(`The store is ${target} (workspace `)], [0, true])
    assert.match((await run(coven, ['task', 'list'], into)).stdout, /Ship it/)
    assert.ok(!existsSync(desk.path('home')))
  })

  test('serve uses its store, makes it if it must, and says which', async () => {
    using desk = laidOut()
    const cwd = realpathSync(desk.path('project/src'))
    const env = { HOME: desk.path('home') }
    await using server = await Served.start([], { cwd, env, program: 'holdfast' })
    const folder = join(desk.path('project'), '.coven')
    assert.match(
      server.stdout,
      /^holdfast listens on \S+\nThe store is (.+)\nThe API is shown at \S+\nEvery user of this machine .*\n$/,
    )
    assert.ok(
      server.stdout.includes(`The store is sqlite:${folder}/tasks.db (workspace ${folder})\n`),
    )
    await using store = await openStore(`sqlite:${folder}/tasks.db`)
    await new TaskTree(store).create({ title: 'from coven' })
    const [task] = (await (await fetch(`${server.url}/api/tasks`)).json()) as { title: string }[]
    assert.equal(task?.title, 'from coven')
    assert.ok(!existsSync(desk.path('home')))
  })

  test('what serve --samples says to try names the store, for ut, np and qo use another', async () => {
    using desk = laidOut()
    const cwd = realpathSync(desk.path('project'))
    const env = { HOME: desk.path('home') }
    await using server = await Served.start(['--samples'], { cwd, env, program: 'holdfast' })
    await until(() => server.stdout.includes('Ctrl-C'))
    const commands = server.stdout.split('\n').filter((line) => line.startsWith('  '))
    assert.equal(commands.length, 3)
    for (const command of commands)
      assert.ok(command.endsWith(` --store sqlite:${cwd}/.coven/tasks.db`), command)
  })
})
