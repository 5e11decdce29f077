import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { coven } from '../../../src/cli/coven.ts'
import { holdfast } from '../../../src/cli/holdfast.ts'
import { openStore } from '../../../src/store/index.ts'
import { TaskTree } from '../../../src/tree/index.ts'
import { until } from '../../eventually.ts'
import { Served } from '../../http/process.ts'
import { giveAway } from '../foreign.ts'
import { assertRefused, Clone } from '../program/clone.ts'

let clone: Clone
beforeEach(() => {
  clone = new Clone()
})
afterEach(() => {
  vi.restoreAllMocks()
  clone[Symbol.dispose]()
})

const impatient = 'claim_timeout: 1ms\n'
const hungry = 'matchers:\n  - { name: all, grimoire: theirs, match: {} }\n'
const warnings = (stderr: string) => stderr.split('\n').filter((line) => /warning: /.test(line))

/** A task that somebody has claimed, in a store anywhere. */
async function claimedIn(name: string): Promise<{ url: string; id: string }> {
  mkdirSync(clone.path('own'), { recursive: true })
  const url = `sqlite:${clone.path(name)}`
  await using store = await openStore(url)
  const tree = new TaskTree(store)
  const { id } = await tree.create({ title: 'mine' })
  await tree.claim(id, 'ann')
  await sleep(5)
  return { url, id }
}

const maintained = async (...args: string[]) => {
  const { exit, stdout, stderr } = await clone.run(coven, ['maintain', '--json', ...args])
  assert.equal(exit, 0, stderr)
  return { released: JSON.parse(stdout).data.released as string[], stderr }
}

describe('.coven/config.yaml of a repository', () => {
  test('releases no claims in a store elsewhere, and one line says so, until it is trusted', async () => {
    const { url, id } = await claimedIn('own/tasks.db')
    const file = clone.write('repo/.coven/config.yaml', impatient)
    const before = await maintained('--store', url)
    assert.deepEqual(before.released, [])
    assert.deepEqual(before.stderr.split('\n'), [
      `coven: warning: ${file} is not trusted, and the store lies outside its workspace: the defaults apply. To let it count, read it, then run "holdfast trust ${file}".`,
      '',
    ])
    await clone.trust(file)
    assert.deepEqual(await maintained('--store', url), { released: [id], stderr: '' })
    const again = await claimedIn('own/more.db')
    writeFileSync(file, `${impatient}# more\n`)
    const changed = await maintained('--store', again.url)
    assert.deepEqual(changed.released, [])
    assert.match(changed.stderr, /has changed since you trusted it/)
  })

  test('counts for a store inside the workspace, wherever in it', async () => {
    clone.write('repo/.coven/config.yaml', impatient)
    for (const name of ['repo/.coven/tasks.db', 'repo/other.db', 'repo/src/x.db']) {
      const { url, id } = await claimedIn(name)
      assert.deepEqual(await maintained('--store', url), { released: [id], stderr: '' })
    }
    const { id } = await claimedIn('repo/.coven/tasks.db')
    assert.deepEqual(await maintained(), { released: [id], stderr: '' })
  })

  test('does not count for one that a link inside the workspace leads to', async () => {
    await claimedIn('own/tasks.db')
    clone.write('repo/.coven/config.yaml', impatient)
    symlinkSync('../../own/tasks.db', clone.path('repo/.coven/tasks.db'))
    symlinkSync('../own', clone.path('repo/linked'))
    for (const name of ['.coven', 'linked']) {
      const { released, stderr } = await maintained(
        '--store',
        `sqlite:${clone.path(`repo/${name}/tasks.db`)}`,
      )
      assert.deepEqual([released, warnings(stderr).length], [[], 1])
    }
  })

  test('makes nothing above itself its own by a link to itself', async () => {
    const { url } = await claimedIn('own/tasks.db')
    clone.write('repo/config.yaml', impatient)
    symlinkSync('.', clone.path('repo/.coven'))
    const { released, stderr } = await maintained('--store', url)
    assert.deepEqual([released, warnings(stderr).length], [[], 1])
  })

  test('is shared with the store beside it by a link to the folder of both', async () => {
    clone.write('shared/config.yaml', impatient)
    const { id } = await claimedIn('shared/tasks.db')
    symlinkSync('../shared', clone.path('repo/.coven'))
    assert.deepEqual(await maintained(), { released: [id], stderr: '' })
  })

  test('of another user is refused, trusted or not, and so is their folder', async () => {
    const { url } = await claimedIn('own/tasks.db')
    const file = clone.write('repo/.coven/config.yaml', '')
    await clone.trust(file)
    giveAway(file)
    // Where nothing can be given away, the folder is another user's, too.
    const folder = clone.path('repo/.coven')
    for (const args of [['maintain'], ['maintain', '--store', url], ['serve', '--port', '0']])
      assertRefused(await clone.run(coven, args), folder)
    vi.restoreAllMocks()
    giveAway(clone.path('repo/.coven'))
    for (const [program, ...args] of [
      [coven, 'task', 'list'],
      [coven, 'init'],
      [coven, 'maintain', '--store', url],
      [holdfast, 'serve', '--port', '0'],
      [holdfast, 'export'],
    ] as const)
      assertRefused(
        await clone.run(program, args),
        `${clone.path('repo/.coven')} belongs to another`,
      )
    const config = await clone.run(holdfast, ['config'])
    assert.deepEqual([config.exit, /^port +-/m.test(config.stdout)], [4, true])
    // Nothing of it is needed here.
    assert.equal((await clone.run(coven, ['task', 'list', '--store', url])).exit, 0)
  })

  test('that links to /dev/zero is refused at once', async () => {
    mkdirSync(clone.path('repo/.coven'))
    symlinkSync('/dev/zero', clone.path('repo/.coven/config.yaml'))
    const { exit, stderr } = await clone.run(coven, ['maintain', '--store', 'memory:x'])
    assert.equal(exit, 2)
    assert.match(stderr, /config\.yaml can't be read: it is a device/)
  })
})

describe('the store of a workspace that nobody has named', () => {
  const refusedBy = async (message: RegExp) => {
    const env = { COVEN_AGENT_ID: 'ann' }
    for (const [program, ...args] of [
      [coven, 'task', 'create', '--title', 'secret'],
      [coven, 'task', 'list'],
      [coven, 'maintain'],
      [coven, 'serve', '--port', '0'],
      [coven, 'init'],
      [holdfast, 'export'],
      [holdfast, 'mcp'],
    ] as const) {
      const outcome = await clone.run(program, args, { env, cwd: 'repo' })
      assertRefused(outcome, clone.path('repo/.coven'))
      assert.match(outcome.stderr, message)
    }
    // Whoever names it means it.
    const own = ['task', 'list', '--store', `sqlite:${clone.path('own/tasks.db')}`]
    assert.equal((await clone.run(coven, own, { cwd: 'repo' })).exit, 0)
  }

  test('is refused where a link leads out of it, also to nothing yet', async () => {
    await claimedIn('own/tasks.db')
    mkdirSync(clone.path('repo/.coven'))
    for (const target of ['../../own/tasks.db', '../../own/none.db', 'tasks.db']) {
      symlinkSync(target, clone.path('repo/.coven/tasks.db'))
      await refusedBy(/\.coven\/tasks\.db leads out of its workspace by a link\. .*--store/)
      rmSync(clone.path('repo/.coven/tasks.db'))
    }
    assert.ok(!existsSync(clone.path('own/none.db')))
    symlinkSync('../inside.db', clone.path('repo/.coven/tasks.db'))
    assert.equal((await clone.run(coven, ['init'], { cwd: 'repo' })).exit, 0)
    assert.ok(existsSync(clone.path('repo/inside.db')))
  })

  test('is refused where everybody can write its folder by a link', async () => {
    await claimedIn('own/tasks.db')
    mkdirSync(clone.path('public'))
    chmodSync(clone.path('public'), 0o1777)
    symlinkSync('../public', clone.path('repo/.coven'))
    await refusedBy(/\.coven is a link to a folder that every user of this machine can write to\./)
    chmodSync(clone.path('public'), 0o700)
    assert.equal((await clone.run(coven, ['init'], { cwd: 'repo' })).exit, 0)
  })

  test('is refused where another user has made the file', async () => {
    await claimedIn('own/tasks.db')
    await claimedIn('repo/.coven/tasks.db')
    giveAway(clone.path('repo/.coven/tasks.db'))
    await refusedBy(/belongs to another user \(uid \d+\)/)
  })
})

describe('.coven/grimoire-matchers.yaml of a repository', () => {
  const claimed = async (url: string) => {
    const env = { COVEN_AGENT_ID: 'ann' }
    const created = ['task', 'create', '--title', 'x', '--json', '--store', url]
    const { id } = JSON.parse((await clone.run(coven, created, { env })).stdout).data
    const args = ['task', 'claim', id, '--json', '--store', url]
    const { stdout, stderr } = await clone.run(coven, args, { env })
    return { grimoire: JSON.parse(stdout).data.grimoire, warned: warnings(stderr) }
  }

  test('chooses nothing in a store elsewhere until it is trusted', async () => {
    const { url, id } = await claimedIn('own/tasks.db')
    const file = clone.write('repo/.coven/grimoire-matchers.yaml', hungry)
    const before = await claimed(url)
    assert.deepEqual([before.grimoire, before.warned.length], ['implement-bead', 1])
    assert.match(before.warned[0] as string, /is not trusted.*"holdfast trust .*matchers\.yaml"/)
    const explain = await clone.run(coven, ['matchers', 'explain', id, '--store', url])
    assert.match(explain.stdout, /^implement-bead, by default\n/)
    assert.equal(warnings(explain.stderr).length, 1)
    await clone.trust(file)
    assert.deepEqual(await claimed(url), { grimoire: 'theirs', warned: [] })
  })

  test('chooses freely in a store inside the workspace, and is checked whether it counts or not', async () => {
    clone.write('repo/.coven/grimoire-matchers.yaml', hungry)
    const own = `sqlite:${clone.path('repo/own.db')}`
    assert.deepEqual(await claimed(own), { grimoire: 'theirs', warned: [] })
    const { exit, stdout } = await clone.run(coven, ['matchers', 'check', '--store', 'nats://x'])
    assert.deepEqual([exit, stdout], [0, '1 matcher, 0 errors, 0 warnings\n'])
  })

  test('of another user is refused', async () => {
    const { url, id } = await claimedIn('own/tasks.db')
    const file = clone.write('repo/.coven/grimoire-matchers.yaml', hungry)
    giveAway(file)
    for (const args of [
      ['task', 'claim', id, '--agent-id', 'bob', '--store', url],
      ['matchers', 'check'],
      ['matchers', 'explain', id, '--store', url],
      ['serve', '--port', '0', '--store', url],
    ])
      assertRefused(await clone.run(coven, args), clone.path('repo/.coven'))
    assertRefused(
      await clone.run(holdfast, ['mcp', '--store', url], { env: { HOLDFAST_AGENT: 'a' } }),
      clone.path('repo/.coven'),
    )
  })
})

describe('a server on a store elsewhere', () => {
  for (const program of ['coven', 'holdfast'])
    test(`goes by the defaults until files of the workspace are trusted: ${program}`, async () => {
      const { url, id } = await claimedIn('own/tasks.db')
      const matchers = clone.write('repo/.coven/grimoire-matchers.yaml', hungry)
      clone.write('repo/.coven/config.yaml', impatient)
      const env = { HOME: clone.home }
      const place = { cwd: clone.path('repo'), env, program }
      await using server = await Served.start(['--quiet', '--store', url], place)
      const get = async (path: string) =>
        (await (await fetch(`${server.url}/api/tasks/${id}${path}`)).json()) as Record<
          string,
          unknown
        >
      await until(() => warnings(server.stderr).length === 2)
      assert.equal((await get(''))['status'], 'in_progress')
      const chosen = async () => (await get('/grimoire-match'))['selected_grimoire']
      assert.equal(await chosen(), 'implement-bead')
      await clone.trust(matchers)
      await until(async () => (await chosen()) === 'theirs')
      // What is put in its place was trusted by nobody.
      clone.write('new.yaml', hungry.replace('theirs', 'evil'))
      renameSync(clone.path('new.yaml'), matchers)
      assert.equal(await chosen(), 'implement-bead')
      assert.match(
        (await get('/grimoire-match'))['matcher_file_error'] as string,
        /has changed since/,
      )
      clone.write('new.yaml', hungry)
      renameSync(clone.path('new.yaml'), matchers)
      assert.equal(await chosen(), 'theirs')
      assert.equal((await clone.run(holdfast, ['trust', '--revoke', matchers])).exit, 0)
      await until(async () => (await chosen()) === 'implement-bead')
      const isUp = await fetch(`${server.url}/api/tasks`)
      assert.equal(isUp.status, 200)
    })
})
