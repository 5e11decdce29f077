import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'vitest'

const holdfast = (...args: string[]) => spawnSync('bin/holdfast', args, { encoding: 'utf8' })

test('holdfast demo shows the store at work', () => {
  const { status, stdout, stderr } = holdfast('demo')
  assert.equal(stderr, '')
  assert.equal(status, 0)
  assert.match(stdout, /4 × 250 = 1000/)
  assert.match(stdout, /mine: {3}\{"ok":false\}/)
  assert.match(stdout, /\{"type":"key","key":"demo\/task\/2"\}/)
})

test('holdfast --help names every command', () => {
  const { status, stdout } = holdfast('--help')
  assert.equal(status, 0)
  assert.match(stdout, /^ {2}demo /m)
})

test('holdfast --version is the version of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  assert.equal(holdfast('--version').stdout, `${version}\n`)
})

for (const args of [[], ['nonsense'], ['demo', 'extra'], ['--nonsense'], ['constructor']])
  test(`holdfast ${args.join(' ')}: a usage error is exit 2, on stderr alone`, () => {
    const { status, stdout, stderr } = holdfast(...args)
    assert.equal(status, 2)
    assert.equal(stdout, '')
    assert.match(stderr, /See "holdfast --help"/)
  })
