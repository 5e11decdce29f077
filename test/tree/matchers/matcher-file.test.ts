import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'vitest'
import { chooseGrimoire, MatcherFile, type MatcherState } from '../../../src/tree/matchers/index.ts'
import { until } from '../../eventually.ts'
import { plain } from './plain.ts'

let folder = ''
let path = ''
let log: string[] = []
let file: MatcherFile

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'matchers-'))
  path = join(folder, 'grimoire-matchers.yaml')
  log = []
  file = new MatcherFile(path, { log: (line) => log.push(line) })
})

afterEach(async () => {
  file[Symbol.dispose]()
  await rm(folder, { recursive: true })
})

const grimoireIn = (state: MatcherState): string => chooseGrimoire(state, plain, null).grimoire
const naming = (grimoire: string): string =>
  `matchers: [{name: all, grimoire: ${grimoire}, match: {}}]\n`

/** As if nothing had been written for a while, so that only time and size are looked at. */
const age = (seconds = 60): void => {
  const then = Date.now() / 1000 - seconds
  utimesSync(path, then, then)
}

describe('the file of matchers', () => {
  test('need not be there', async () => {
    const state = await file.current()
    assert.deepEqual(state, { state: 'absent', rules: [], findings: [], problem: null })
    assert.equal(grimoireIn(state), 'implement-bead')
    assert.deepEqual(log, [])
    const elsewhere = new MatcherFile(join(path, 'below', 'a-file'))
    writeFileSync(path, naming('a'))
    assert.equal((await elsewhere.current()).state, 'absent')
  })

  test('is read when it appears, changes and goes', async () => {
    await file.current()
    writeFileSync(path, naming('one'))
    assert.equal(grimoireIn(await file.current()), 'one')
    writeFileSync(path, naming('two'))
    assert.equal(grimoireIn(await file.current()), 'two')
    rmSync(path)
    assert.equal((await file.current()).state, 'absent')
    writeFileSync(path, naming('three'))
    assert.equal(grimoireIn(await file.current()), 'three')
  })

  test('is read again after every one of many quick changes of the same size', async () => {
    for (let round = 0; round < 200; round++) {
      writeFileSync(path, naming(`g${1000 + round}`))
      assert.equal(grimoireIn(await file.current()), `g${1000 + round}`)
    }
  })

  test('is read again when it is replaced by another of the same time and size', async () => {
    writeFileSync(path, naming('one'))
    age()
    assert.equal(grimoireIn(await file.current()), 'one')
    const other = join(folder, 'other')
    writeFileSync(other, naming('two'))
    renameSync(other, path)
    age()
    assert.equal(grimoireIn(await file.current()), 'two')
  })

  test('is neither read nor told of again while it stays as it is', async () => {
    writeFileSync(path, `${naming('one')}colour: red\n`)
    const state = await file.current()
    assert.equal(log.length, 1)
    assert.equal(await file.current(), state)
    age()
    assert.equal(await file.current(), state, 'another time, but the same text')
    assert.equal(await file.current(), state)
    assert.equal(log.length, 1)
    assert.match(log[0] ?? '', /grimoire-matchers\.yaml:2:1: warning: Unknown field 'colour'/)
  })

  test('answers many who ask at once', async () => {
    writeFileSync(path, naming('one'))
    const states = await Promise.all(Array.from({ length: 50 }, () => file.current()))
    assert.equal(new Set(states).size, 1)
    assert.equal(grimoireIn(states[0] as MatcherState), 'one')
  })
})

describe('a broken file of matchers', () => {
  test('leaves the default alone at the start, and says so', async () => {
    writeFileSync(path, 'matchers: [\n')
    const state = await file.current()
    assert.equal(state.state, 'broken')
    assert.equal(grimoireIn(state), 'implement-bead')
    assert.match(
      state.problem ?? '',
      /yaml:2:1: error: No YAML: .* No matchers are in use, only the default\.$/,
    )
    assert.equal(log.length, 2)
    assert.match(log[1] ?? '', /yaml: No matchers are in use, only the default\.$/)
  })

  test('leaves the last good rules in use, says so, and is forgotten when it is mended', async () => {
    writeFileSync(path, naming('good'))
    await file.current()
    for (const text of ['matchers: [', 'a: &a 1\nb: *a\n', '- x\n', '# '.repeat(65_536)]) {
      writeFileSync(path, text)
      const state = await file.current()
      assert.equal(state.state, 'broken')
      assert.equal(grimoireIn(state), 'good')
      assert.match(state.problem ?? '', /error: .* The last good matchers stay in use\.$/)
      assert.ok(state.findings.some(({ severity }) => severity === 'error'))
    }
    writeFileSync(path, naming('mended'))
    const state = await file.current()
    assert.deepEqual([state.state, state.problem, grimoireIn(state)], ['loaded', null, 'mended'])
  })

  test('leaves the last good rules in use also where its editor emptied it first, or took it away', async () => {
    const clear = [
      () => writeFileSync(path, ''),
      () => writeFileSync(path, '\n'),
      () => rmSync(path),
    ]
    for (const [n, gone] of clear.entries()) {
      writeFileSync(path, naming(`good${n}`))
      await file.current()
      gone()
      const between = await file.current()
      assert.equal(between.state, n < 2 ? 'loaded' : 'absent')
      assert.equal(grimoireIn(between), n < 2 ? `good${n}` : 'implement-bead')
      writeFileSync(path, 'matchers: [')
      const state = await file.current()
      assert.equal(grimoireIn(state), `good${n}`)
      assert.match(state.problem ?? '', /The last good matchers stay in use\.$/)
    }
  })

  test('has no rules to leave where it was empty before for long enough', async () => {
    await using quick = brief()
    writeFileSync(path, naming('good'))
    await quick.file.current()
    writeFileSync(path, '')
    assert.equal(grimoireIn(await quick.file.current()), 'good')
    await until(async () => grimoireIn(await quick.file.current()) === 'implement-bead')
    assert.equal((await quick.file.current()).state, 'loaded')
    writeFileSync(path, 'matchers: [')
    assert.equal(grimoireIn(await quick.file.current()), 'implement-bead')
  })

  test('is not one where a matcher is bad: that one is skipped and told of', async () => {
    writeFileSync(
      path,
      `matchers:\n- {name: bad, match: {}}\n- {name: ok, grimoire: g, match: {}}\n`,
    )
    const state = await file.current()
    assert.deepEqual([state.state, grimoireIn(state)], ['loaded', 'g'])
    assert.match(log[0] ?? '', /yaml:2:3: error: matcher must specify grimoire or inherit\./)
  })

  test('may be no UTF-8', async () => {
    writeFileSync(path, Buffer.from([...Buffer.from('# ok\nma'), 0xff, 0xfe]))
    const { state, findings } = await file.current()
    assert.equal(state, 'broken')
    assert.deepEqual(findings, [
      { severity: 'error', line: 2, column: 3, message: 'The file is no UTF-8.' },
    ])
  })

  test('may be a folder or a pipe, which is not waited for', async () => {
    mkdirSync(path)
    assert.match((await file.current()).problem ?? '', /It is no file/)
    rmSync(path, { recursive: true })
    execFileSync('mkfifo', [path])
    assert.match((await file.current()).problem ?? '', /It is no file/)
  })

  test('may be one that the system does not open', async () => {
    writeFileSync(path, naming('good'))
    await file.current()
    rmSync(path)
    symlinkSync(path, path)
    const state = await file.current()
    assert.match(state.problem ?? '', /:1:1: error: It can't be read: ELOOP/)
    assert.equal(grimoireIn(state), 'good')
  })
})

/** A file that counts as empty soon. */
function brief() {
  const file = new MatcherFile(path, { emptyMs: 100 })
  return { file, [Symbol.asyncDispose]: async () => file[Symbol.dispose]() }
}

describe('a watch', () => {
  test('tells of an error as soon as it is written, without anyone asking', async () => {
    file.watch()
    file.watch()
    writeFileSync(path, 'matchers: 7\n')
    await until(() => log.length > 0)
    assert.match(log[0] ?? '', /matchers must be a list/)
    log = []
    const other = join(folder, 'other')
    writeFileSync(other, '- y\n')
    renameSync(other, path)
    await until(() => log.length > 0)
    assert.match(log[0] ?? '', /must be a map/)
  })

  test('ends; the file can still be asked', async () => {
    file.watch()
    file[Symbol.dispose]()
    file[Symbol.dispose]()
    writeFileSync(path, 'matchers: 7\n')
    // No event tells that nothing is said.
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.deepEqual(log, [])
    assert.equal((await file.current()).state, 'broken')
  })

  test('is not needed: where there is no folder, asking still works', async () => {
    const below = join(folder, 'later', 'm.yaml')
    const later = new MatcherFile(below)
    later.watch()
    mkdirSync(join(folder, 'later'))
    writeFileSync(below, naming('one'))
    assert.equal(grimoireIn(await later.current()), 'one')
    later[Symbol.dispose]()
  })
})
