import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { Program } from '../../../src/cli/program/command.ts'
import { UsageError } from '../../../src/cli/program/error.ts'
import { ExplainedError } from '../../../src/cli/program/failure.ts'
import { Refusal, type RefusalKind } from '../../../src/collection/index.ts'
import { StoreError, type StoreErrorReason } from '../../../src/store/index.ts'
import { run } from '../terminal.ts'

/** A program whose one command throws. */
const throwing = (thrown: unknown): Program => ({
  name: 'prog',
  about: 'throws.',
  commands: [
    {
      name: 'go',
      about: 'throw',
      run: async () => {
        throw thrown
      },
    },
  ],
})

const human = (thrown: unknown, env = {}) => run(throwing(thrown), ['go'], { env })

const json = async (thrown: unknown) => {
  const { exit, stdout, stderr } = await run(throwing(thrown), ['go', '--json'])
  assert.equal(stderr, '')
  const { v, kind, error } = JSON.parse(stdout)
  assert.deepEqual({ v, kind }, { v: 1, kind: 'error' })
  return { exit, error }
}

/** A program with words and codes of its own. */
const finer = (thrown: unknown): Program => ({
  ...throwing(thrown),
  errorLabel: 'Error',
  exitCodeOf: ({ kind }) => (kind === 'refused' ? 11 : undefined),
})

class Refused extends Refusal {
  readonly kind: RefusalKind

  constructor(kind: RefusalKind, next: string | null = 'Next.') {
    super('What.', next)
    this.kind = kind
  }
}

/** Every reason there is: a new one does not compile until somebody has decided how programs end by it. */
const ofReason: Readonly<Record<StoreErrorReason, [number, string]>> = {
  too_many_writes: [1, 'internal'],
  read_only: [4, 'no_store'],
  newer_schema: [4, 'no_store'],
  network_filesystem: [4, 'no_store'],
  no_engine: [4, 'no_store'],
  unsafe_server: [4, 'no_store'],
  unversioned: [4, 'no_store'],
  no_jetstream: [4, 'no_store'],
  unknown_url: [2, 'invalid'],
  foreign_file: [4, 'no_store'],
  foreign_server: [4, 'no_store'],
  missing_store: [4, 'no_store'],
  bad_key: [2, 'invalid'],
  too_large: [2, 'invalid'],
  bad_option: [2, 'invalid'],
  disk_full: [7, 'unavailable'],
  down: [7, 'unavailable'],
  locked: [7, 'unavailable'],
  permission: [4, 'no_store'],
  contended: [7, 'unavailable'],
  lost_answer: [7, 'unavailable'],
  damaged: [1, 'corrupt'],
  disposed: [1, 'internal'],
}

const ofKind: Readonly<Record<RefusalKind, number>> = {
  not_found: 3,
  ambiguous: 5,
  invalid: 2,
  conflict: 5,
  not_owner: 5,
  refused: 6,
  corrupt: 1,
  no_store: 4,
}

describe('a failure', () => {
  for (const [reason, [exit, code]] of Object.entries(ofReason))
    test(`of the store, ${reason}, ends a program with ${exit} and is called ${code}`, async () => {
      const outcome = await json(new StoreError(reason as StoreErrorReason, 'What.', 'Next.'))
      assert.deepEqual([outcome.exit, outcome.error.code], [exit, code])
      assert.match(outcome.error.message, /^What\./)
      assert.equal(outcome.error.next, 'Next.')
    })

  for (const [kind, exit] of Object.entries(ofKind))
    test(`that a model calls ${kind} ends a program with ${exit}`, async () => {
      const outcome = await json(new Refused(kind as RefusalKind))
      const error = { code: kind, message: 'What.', next: 'Next.' }
      assert.deepEqual(outcome, { exit, error })
    })

  test('nobody knows what to do about has next: null', async () => {
    assert.equal((await json(new Refused('refused', null))).error.next, null)
    assert.equal((await human(new Refused('refused', null))).stderr, 'prog: What.\n')
  })

  test('of which nobody knows whether the write happened says so', async () => {
    const { exit, stderr } = await human(new StoreError('lost_answer', 'Gone.', 'Read again.'))
    assert.equal(exit, 7)
    assert.equal(stderr, 'prog: Gone. The change may or may not have happened. Read again.\n')
  })

  test('is one line for a person, what and then what to do', async () => {
    const { exit, stdout, stderr } = await human(new StoreError('down', 'It is away.', 'Start it.'))
    assert.deepEqual({ exit, stdout }, { exit: 7, stdout: '' })
    assert.equal(stderr, 'prog: It is away. Start it.\n')
  })

  test('of usage is exit 2', async () => {
    assert.equal((await json(new UsageError('What.', 'Next.'))).exit, 2)
  })

  for (const thrown of [new TypeError('x'), 'x', null, undefined, 7])
    test(`that nobody foresaw (${typeof thrown}) is internal, and exit 1`, async () => {
      const { exit, error } = await json(thrown)
      assert.deepEqual([exit, error.code], [1, 'internal'])
      assert.match(error.next, /HOLDFAST_DEBUG/)
    })

  test('is told rather than the one of closing the store that followed from it', async () => {
    const suppressed = new StoreError('down', 'Away.', 'Start it.')
    const both = Object.assign(new Error('both'), { error: new Error('closing'), suppressed })
    assert.equal((await json(both)).error.code, 'unavailable')
  })

  test('may have a finer exit code, and a label of its own', async () => {
    for (const [kind, code] of [
      ['refused', 11],
      ['conflict', 5],
    ] as const) {
      const { exit, stderr } = await run(finer(new Refused(kind)), ['go'])
      assert.deepEqual([exit, stderr], [code, 'Error: What. Next.\n'])
      const { stdout } = await run(finer(new Refused(kind)), ['go', '--json'])
      assert.equal(JSON.parse(stdout).error.code, kind)
    }
    const explained = new ExplainedError(new Refused('refused'), ['more'])
    const { exit, stderr } = await run(finer(explained), ['go'])
    assert.deepEqual([exit, stderr], [11, 'Error: What. Next.\n  more\n'])
  })

  test('is harmless for a terminal, and still one line', async () => {
    const { stderr } = await human(new UsageError('two\n  lines \u001b[31m\u009b', 'Next.'))
    assert.equal(stderr, 'prog: two lines \\x1b[31m\\x9b. Next.\n')
  })

  test('shows its stack and its causes where HOLDFAST_DEBUG is set', async () => {
    const thrown = new StoreError('down', 'Away.', 'Start it.', new Error('inner'))
    const { exit, stdout, stderr } = await human(thrown, { HOLDFAST_DEBUG: '1' })
    assert.deepEqual({ exit, stdout }, { exit: 7, stdout: '' })
    assert.match(stderr, /^prog: Away\. Start it\.\nStoreError: Away[\s\S]*\n +at /)
    assert.match(stderr, /inner/)
  })
})

describe('an ambiguous prefix', () => {
  const ambiguous = (count: number) =>
    Object.assign(new Refused('ambiguous'), {
      candidates: Array.from({ length: count }, (_, at) => `id${at}`),
      count,
    })

  test('carries its candidates, 20 at most, and their count', async () => {
    const { error } = await json(ambiguous(31))
    assert.deepEqual(Object.keys(error), ['code', 'message', 'next', 'candidates', 'count'])
    assert.equal(error.candidates.length, 20)
    assert.equal(error.count, 31)
  })

  test('lists for a person what was found out about them', async () => {
    const explained = new ExplainedError(ambiguous(2), ['id0  Buy milk', 'id1  Buy beer'])
    const { exit, stderr } = await human(explained)
    assert.equal(exit, 5)
    assert.equal(stderr, 'prog: What. Next.\n  id0  Buy milk\n  id1  Buy beer\n')
  })
})
