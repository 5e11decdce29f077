import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, test, vi } from 'vitest'
import { TrustError, UsageError } from '../../../src/cli/program/error.ts'
import { checkFolderOwner, openSettings, settingsAt } from '../../../src/cli/program/opened-file.ts'
import { giveAway } from '../foreign.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-opened-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let count = 0
let folder = ''
beforeEach(() => {
  folder = join(root, String(++count))
  mkdirSync(folder)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const file = (name: string, text = 'a: 1\n'): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

const link = (name: string, target: string): string => {
  symlinkSync(target, join(folder, name))
  return join(folder, name)
}

describe('a settings file', () => {
  test('is read with the path that its links lead to', () => {
    mkdirSync(join(folder, 'real'))
    const real = file('real/b.yaml')
    link('through', 'real')
    for (const path of [real, link('a', 'real/b.yaml'), link('c', 'through/b.yaml')]) {
      const opened = settingsAt(path)
      assert.deepEqual([opened?.path, opened?.realPath], [path, real])
      assert.equal(Buffer.from(opened?.bytes ?? []).toString(), 'a: 1\n')
    }
  })

  test('that is not there is none, at the end of a link too', () => {
    for (const path of [join(folder, 'none'), join(file('a'), 'below'), link('l', 'nowhere')])
      assert.equal(settingsAt(path), null)
  })

  const endless = ['/dev/zero', '/dev/random', '/dev/full', '/dev/tty']
  for (const device of endless)
    test(`that links to ${device} is refused without reading it`, () => {
      const before = process.memoryUsage().rss
      assert.throws(() => settingsAt(link('l', device)), UsageError)
      assert.ok(process.memoryUsage().rss - before < 20_000_000)
    })

  test('that is or links to a pipe, a folder or a socket is refused without waiting', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')])
    const server = createServer()
    await new Promise<void>((done) => server.listen(join(folder, 'socket'), done))
    mkdirSync(join(folder, 'dir'))
    const kinds = { pipe: 'a pipe', socket: 'a socket', dir: 'a folder' }
    for (const [name, kind] of Object.entries(kinds))
      for (const path of [join(folder, name), link(`to-${name}`, name)])
        assert.throws(() => settingsAt(path), new RegExp(`${path} can't be read: it is ${kind}\\.`))
    server.close()
  })

  test('with a size that is a lie is read only so far', () => {
    const opened = openSettings('/proc/kallsyms')
    assert.deepEqual(opened, { kind: 'unreadable', why: 'it has more than 65536 bytes' })
  })

  test('that is too long is refused', () => {
    assert.ok(settingsAt(file('most', 'x'.repeat(65_536))))
    assert.throws(() => settingsAt(file('more', 'x'.repeat(65_537))), /more than 65536 bytes/)
  })

  test('that links to itself is refused', () => {
    link('a', 'b')
    assert.throws(() => settingsAt(link('b', 'a')), UsageError)
  })

  test('of another user is refused, by a link to it too', () => {
    const path = file('a')
    const to = link('to', 'a')
    assert.ok(settingsAt(to))
    giveAway(path)
    for (const each of [path, to])
      assert.throws(
        () => settingsAt(each),
        (error) => error instanceof TrustError && /another user \(uid \d+\)/.test(error.what),
      )
  })

  test('is refused by a link of another user, whoever has the file', () => {
    const path = link('to', file('a'))
    giveAway(path)
    assert.throws(() => settingsAt(path), TrustError)
  })

  test("is refused where a link on the way is another user's", () => {
    mkdirSync(join(folder, 'real'))
    file('real/a.yaml')
    const theirs = link('theirs', 'real')
    const paths = [link('first', 'theirs/a.yaml'), link('second', 'first')]
    mkdirSync(join(folder, 'real/below'))
    const below = link('below', 'theirs/below')
    for (const path of paths) assert.ok(settingsAt(path))
    checkFolderOwner(below)
    giveAway(theirs)
    for (const path of paths) assert.throws(() => settingsAt(path), TrustError)
    assert.throws(() => checkFolderOwner(below), TrustError)
    assert.throws(() => settingsAt(paths[1] as string), /(?:theirs|second) belongs to another user/)
  })

  test('of root is fine for everybody', () => {
    const stats = settingsAt('/etc/passwd')
    assert.ok(stats)
    vi.spyOn(process, 'getuid').mockReturnValue(54_321)
    assert.ok(settingsAt('/etc/passwd'))
  })
})

test('a folder of another user is refused, and so is a link of theirs', () => {
  const theirs = join(folder, 'theirs')
  mkdirSync(theirs)
  checkFolderOwner(theirs)
  const to = link('to', 'theirs')
  checkFolderOwner(to)
  giveAway(theirs)
  assert.throws(() => checkFolderOwner(theirs), TrustError)
  assert.throws(() => checkFolderOwner(to), TrustError)
})
