import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { Served } from '../../http/process.ts'
import { Desk } from './desk.ts'

const form = /^holdfast_[\w-]{43}$/

/** The program on a store of its own, and what each call ends with. */
function desk() {
  const own = new Desk()
  const store = `sqlite:${own.path('tasks.db')}`
  const run = (...args: readonly string[]) => own.run(['--store', store, ...args])
  const json = async (...args: readonly string[]) =>
    JSON.parse((await run(...args, '--json')).stdout)
  const exits = async (exit: number, ...args: readonly string[]) => {
    const outcome = await run(...args)
    assert.equal(outcome.exit, exit, `${args.join(' ')}: ${outcome.stdout}${outcome.stderr}`)
    return outcome
  }
  return { own, store, run, json, exits, [Symbol.dispose]: () => own[Symbol.dispose]() }
}

describe('holdfast token', () => {
  test('add prints the token once, alone on stdout, and makes a store where there is none', async () => {
    using at = desk()
    const { stdout, stderr } = await at.exits(0, 'token', 'add', 'ci', '--role', 'work')
    const secret = stdout.trim()
    assert.match(secret, form)
    assert.match(stderr, /Authorization: Bearer TOKEN/)
    assert.ok(!stderr.includes(secret))
    const bytes = readFileSync(at.own.path('tasks.db'), 'latin1')
    assert.ok(!bytes.includes(secret.slice(9)), 'the file holds it')
    const quiet = await at.exits(0, 'token', 'add', 'q', '--role', 'read', '--quiet')
    assert.match(quiet.stdout.trim(), form)
    assert.equal(quiet.stderr, '')
    const { kind, data } = await at.json('token', 'add', 'j', '--role', 'admin', '--expires', '90d')
    assert.equal(kind, 'token')
    assert.match(data.token, form)
    assert.deepEqual(Object.keys(data), ['name', 'role', 'created', 'expires', 'expired', 'token'])
    assert.equal(Date.parse(data.expires) - Date.parse(data.created), 90 * 86_400_000)
  })

  test('list shows names, roles and times; neither a token nor a hash', async () => {
    using at = desk()
    await at.exits(4, 'token', 'list')
    const { data } = await at.json('token', 'add', 'ci', '--role', 'work', '--expires', '1h')
    await at.exits(0, 'token', 'add', 'ann', '--role', 'admin')
    const { token, ...shown } = data
    const listed = await at.json('token', 'list')
    assert.equal(listed.kind, 'token.list')
    assert.equal(listed.total, 2)
    assert.deepEqual(listed.data[1], shown)
    const { stdout } = await at.exits(0, 'token', 'list')
    assert.match(
      stdout,
      /^ann {2}admin {2}created \S+Z {2}never expires\nci {3}work {3}created \S+Z {2}expires \S+Z\n$/,
    )
    for (const text of [stdout, JSON.stringify(listed)]) {
      assert.ok(!text.includes(token))
      assert.doesNotMatch(text, /[0-9a-f]{64}/)
    }
  })

  test('an expired one is shown as such', async () => {
    using at = desk()
    await at.exits(0, 'token', 'add', 'brief', '--role', 'read', '--expires', '1ms')
    await eventually(async () =>
      assert.match((await at.run('token', 'list')).stdout, / expired \S+Z$/m),
    )
    assert.equal((await at.json('token', 'list')).data[0].expired, true)
    await at.exits(5, 'token', 'add', 'brief', '--role', 'read')
    await at.exits(0, 'token', 'open')
  })

  test('revoke and open: 3 for a name that none has, 6 while a token works', async () => {
    using at = desk()
    await at.exits(4, 'token', 'revoke', 'ci')
    await at.exits(4, 'token', 'open')
    await at.exits(0, 'token', 'add', 'ci', '--role', 'work')
    await at.exits(5, 'token', 'add', 'ci', '--role', 'read')
    await at.exits(3, 'token', 'revoke', 'c')
    const { stderr } = await at.exits(6, 'token', 'open')
    assert.match(stderr, /A token is in use\. Revoke every token first\./)
    const revoked = await at.json('token', 'revoke', 'ci')
    assert.equal(revoked.kind, 'token')
    assert.equal(revoked.data.name, 'ci')
    await at.exits(3, 'token', 'revoke', 'ci')
    const { stderr: hint } = await at.exits(0, 'token', 'list')
    assert.match(hint, /Requests still need a token/)
    assert.equal((await at.json('token', 'open')).changed, undefined)
    assert.equal((await at.json('token', 'open')).changed, false)
  })

  test('revoke --all takes all tokens away, and says where there are none', async () => {
    using at = desk()
    await at.exits(4, 'token', 'revoke', '--all')
    for (const name of ['ci', 'ann']) await at.exits(0, 'token', 'add', name, '--role', 'work')
    await at.exits(2, 'token', 'revoke')
    await at.exits(2, 'token', 'revoke', 'ci', '--all')
    const { stdout, stderr } = await at.exits(0, 'token', 'revoke', '--all')
    assert.equal(stdout, 'Revoked all tokens.\n')
    assert.match(stderr, /Requests still need a token/)
    const again = await at.json('token', 'revoke', '--all')
    assert.deepEqual([again.kind, again.data, again.changed], ['token.list', [], false])
    assert.match((await at.exits(0, 'token', 'list')).stderr, /Requests still need a token/)
  })

  test('what can never be is a usage error, and makes no store', async () => {
    using at = desk()
    const read = ['--role', 'read'] as const
    for (const args of [
      [],
      ['ci'],
      ['ci', '--role', 'boss'],
      ['ci', '--role', ''],
      ['', ...read],
      ['a/b', ...read],
      ['a\nb', ...read],
      ['a\u202eb', ...read],
      ['x'.repeat(65), ...read],
      ['ci', 'cd', ...read],
      ...['0', '0d', '-1d', 'soon', '', '2020-01-01T00:00:00Z', '2027-02-30T00:00:00Z'].map(
        (time) => ['ci', ...read, '--expires', time],
      ),
      ['ci', ...read, '--expires', '2027-01-01'],
      ['ci', ...read, '--expires', '999999999d'],
    ])
      await at.exits(2, 'token', 'add', ...args)
    await at.exits(2, 'token', 'revoke')
    await at.exits(2, 'token', 'list', 'x')
    await at.exits(2, 'token', 'open', 'x')
    await at.exits(2, 'token')
  })

  test('a time may have any offset', async () => {
    using at = desk()
    const time = '2199-12-31T23:30:00+05:30'
    const { data } = await at.json('token', 'add', 'ci', '--role', 'read', '--expires', time)
    assert.equal(data.expires, '2199-12-31T18:00:00.000Z')
  })
})

describe('a store with tokens', () => {
  test('counts as empty, and takes none along or in', async () => {
    using at = desk()
    await at.exits(0, 'token', 'add', 'ci', '--role', 'work')
    const exported = await at.exits(0, 'export')
    assert.doesNotMatch(exported.stdout, /access|ci/)
    at.own.write('empty.ndjson', exported.stdout)
    await at.exits(0, 'import', 'empty.ndjson')
    assert.equal((await at.json('token', 'list')).total, 1)
    // As somebody might plant one.
    const { createHash } = await import('node:crypto')
    const [header] = exported.stdout.split('\n')
    const value = '{"v":1,"closed":false,"tokens":[]}'
    const text = `${header}\n${JSON.stringify({ key: 'holdfast_access/tokens', value })}\n`
    const sha256 = createHash('sha256').update(text).digest('hex')
    const trailer = JSON.stringify({ end: true, documents: 1, models: {}, sha256 })
    at.own.write('planted.ndjson', `${text}${trailer}\n`)
    await at.exits(2, 'import', '--merge', 'planted.ndjson')
    assert.equal((await at.json('token', 'list')).total, 1)
  })

  test('is as doctor says, and no drift', async () => {
    using at = desk()
    await at.exits(0, 'token', 'add', 'ci', '--role', 'work')
    const { stdout } = await at.exits(0, 'doctor')
    assert.match(stdout, /ok {4}access +1 named token; servers ask for a token/)
  })

  test('is served by programs of other processes, which hear of it', async () => {
    using at = desk()
    const place = { cwd: at.own.folder, program: 'holdfast' }
    await using first = await Served.start(['--store', at.store], place)
    await using second = await Served.start(['--store', at.store], { ...place, program: 'coven' })
    for (const { stdout } of [first, second])
      assert.match(stdout, /^Every user of this machine has full access, for no token is needed/m)
    const status = async (url: string, token?: string, path = '/api/tasks') => {
      const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
      return (await fetch(`${url}${path}`, { headers })).status
    }
    const urls = [first.url, second.url]
    for (const url of urls) assert.equal(await status(url), 200)
    const { data } = await at.json('token', 'add', 'ci', '--role', 'read')
    for (const url of urls) {
      assert.equal(await status(url, data.token), 200)
      await eventually(async () => assert.equal(await status(url), 401))
      assert.equal(await status(url, undefined, '/docs'), 200)
    }
    await at.exits(0, 'token', 'revoke', 'ci')
    for (const url of urls)
      await eventually(async () => assert.equal(await status(url, data.token), 401))
    await using third = await Served.start(['--store', at.store], place)
    assert.doesNotMatch(third.stdout, /Every user/)
    await at.exits(0, 'token', 'open')
    for (const url of urls) await eventually(async () => assert.equal(await status(url), 200))
  }, 60_000)
})
