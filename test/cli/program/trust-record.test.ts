import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { coven } from '../../../src/cli/coven.ts'
import { holdfast } from '../../../src/cli/holdfast.ts'
import { np } from '../../../src/cli/np.ts'
import { ut } from '../../../src/cli/ut.ts'
import { giveAway } from '../foreign.ts'
import { Clone } from './clone.ts'

let clone: Clone
let file = ''
beforeEach(() => {
  clone = new Clone()
  file = clone.write('repo/.holdfast.yaml', 'store: nats://its-host:4222?timeout_ms=100\n')
})
afterEach(() => {
  vi.restoreAllMocks()
  clone[Symbol.dispose]()
})

const record = (): string => clone.path('home/.config/holdfast/trusted.json')
const listed = async () => {
  const { stdout } = await clone.run(holdfast, ['trust', '--list', '--json'])
  return JSON.parse(stdout).data as { path: string; kind: string; sha256: string; state: string }[]
}

describe('the record of trusted files', () => {
  test('is for the user alone, in a folder that is, too', async () => {
    await clone.trust(file)
    const modeOf = (path: string) => statSync(path).mode & 0o777
    assert.equal(modeOf(record()), 0o600)
    assert.equal(modeOf(clone.path('home/.config/holdfast')), 0o700)
    assert.deepEqual(readdirSync(clone.path('home/.config/holdfast')), ['trusted.json'])
    const { files } = JSON.parse(readFileSync(record(), 'utf8'))
    assert.deepEqual([files[0].path, files[0].kind], [file, 'project'])
    assert.match(files[0].sha256, /^[0-9a-f]{64}$/)
  })

  test('leaves the modes of a folder that is there as they are', async () => {
    mkdirSync(clone.path('home/.config/holdfast'), { recursive: true, mode: 0o755 })
    await clone.trust(file)
    assert.equal(statSync(clone.path('home/.config/holdfast')).mode & 0o777, 0o755)
  })

  test('loses nothing where many trust and revoke at the same time', async () => {
    const files = Array.from({ length: 20 }, (_, at) =>
      clone.write(`many/${at}/.holdfast.yaml`, `lease: ${at + 1}s\n`),
    )
    await clone.trust(file)
    await Promise.all([
      ...files.map((each) => clone.trust(each)),
      clone.run(holdfast, ['trust', '--revoke', file]),
    ])
    assert.deepEqual((await listed()).map(({ path }) => path).sort(), files.toSorted())
    assert.deepEqual(readdirSync(clone.path('home/.config/holdfast')), ['trusted.json'])
  })

  test('that is a link stays one', async () => {
    mkdirSync(clone.path('home/.config/holdfast'), { recursive: true })
    clone.write('dotfiles/trusted.json', '{"version":1,"files":[]}')
    symlinkSync(clone.path('dotfiles/trusted.json'), record())
    await clone.trust(file)
    assert.match(readFileSync(clone.path('dotfiles/trusted.json'), 'utf8'), /its|repo/)
    assert.equal((await listed()).length, 1)
  })

  const broken = {
    empty: '',
    'cut off': '{"version":1,"files":[{"path":"/a","ki',
    'of another kind': '[]',
    null: 'null',
    'of a later version': '{"version":2,"files":[]}',
    'without hashes': '{"version":1,"files":[{"path":"/a","kind":"project"}]}',
    'with null in it': '{"version":1,"files":[null]}',
    'too long': ' '.repeat(1_048_577),
    binary: '\0\u0001',
  }
  for (const [what, text] of Object.entries(broken))
    test(`that is ${what} trusts nothing, says so, and stays as it is`, async () => {
      clone.write('home/.config/holdfast/trusted.json', text)
      const before = readFileSync(record())
      for (const [program, ...args] of [
        [ut, 'ls'],
        [holdfast, 'trust'],
        [holdfast, 'trust', '--list'],
        [holdfast, 'trust', '--revoke'],
      ] as const) {
        const { exit, stdout, stderr } = await clone.run(program, args)
        assert.deepEqual({ exit, stdout }, { exit: 4, stdout: '' })
        assert.ok(stderr.includes(`${record()}, which records`), stderr)
        assert.match(stderr, /Move it away/)
      }
      const prime = await clone.run(np, ['prime'])
      assert.deepEqual([prime.exit, prime.stdout.split('\n').length], [0, 2])
      assert.deepEqual(readFileSync(record()), before)
      // Whoever needs no trust does not look at it.
      clone.write('repo/.holdfast.yaml', 'store: sqlite:x.db\n')
      assert.equal((await clone.run(ut, ['add', 'x'])).exit, 0)
    })

  test('of another user trusts nothing', async () => {
    await clone.trust(file)
    giveAway(record())
    const { exit, stderr } = await clone.run(ut, ['ls'])
    assert.equal(exit, 4)
    assert.match(stderr, /belongs to another user/)
  })

  test('that everybody may write trusts nothing', async () => {
    await clone.trust(file)
    chmodSync(record(), 0o666)
    const { exit, stderr } = await clone.run(ut, ['ls'])
    assert.equal(exit, 4)
    assert.match(stderr, /trusted\.json.* can be written by every user of this machine.*chmod 600/)
    assert.deepEqual((await clone.run(np, ['prime'])).exit, 0)
    chmodSync(record(), 0o600)
    assert.equal((await clone.run(ut, ['ls'])).exit, 7)
  })

  test('with a broken one, settings of a workspace do not count, which is warned of', async () => {
    clone.write('home/.config/holdfast/trusted.json', '{')
    clone.write('repo/.coven/config.yaml', 'claim_timeout: 1ms\n')
    const own = `sqlite:${clone.path('own.db')}`
    assert.equal((await clone.run(coven, ['init', '--store', own], { cwd: '.' })).exit, 0)
    const { exit, stderr } = await clone.run(coven, ['maintain', '--store', own])
    assert.equal(exit, 0)
    assert.match(stderr, /^coven: warning: The defaults apply instead of .*config\.yaml\. .*\n$/)
  })

  test('that can not be written is exit 4', async () => {
    clone.write('home/.config', 'a file')
    const { exit, stderr } = await clone.run(holdfast, ['trust'])
    assert.equal(exit, 4)
    assert.match(stderr, /trusted\.json can't be written/)
  })

  test('waits for who writes it, but not for ever', { timeout: 20_000 }, async () => {
    await clone.trust(file)
    writeFileSync(`${record()}.lock`, '')
    const { exit, stderr } = await clone.run(holdfast, ['trust', '--revoke', file])
    assert.equal(exit, 7)
    assert.match(stderr, /trusted\.json\.lock.*Remove that file/)
    assert.equal((await listed()).length, 1)
    assert.ok(existsSync(`${record()}.lock`))
  })
})
