import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  BadExportError,
  checkedExport,
  imported,
  NotEmptyError,
} from '../../src/inventory/index.ts'
import { TaskManager } from '../../src/jobs/index.ts'
import { TaskList } from '../../src/list/index.ts'
import { Plans } from '../../src/plan/index.ts'
import { Queue } from '../../src/queue/index.ts'
import { flaky, openStore, type Store, StoreError, type Write } from '../../src/store/index.ts'
import { TaskTree } from '../../src/tree/index.ts'
import { chunksOf, everything, exportOf, type Filled, fill } from './filled.ts'

let source: Store
let filled: Filled
let text = ''
let lines: string[] = []
beforeAll(async () => {
  source = await openStore('memory:')
  filled = await fill(source)
  text = await exportOf(source)
  lines = text.trimEnd().split('\n')
})
afterAll(async () => {
  await source[Symbol.asyncDispose]()
  rmSync(filled.directory, { recursive: true, force: true })
})

const copy = async (store: Store, merge = false) =>
  imported(store, await checkedExport(chunksOf(text)), chunksOf(text), { merge })

const refusedAs = async (bad: string | Uint8Array, message: RegExp) => {
  const error = await checkedExport(chunksOf(bad)).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof BadExportError, String(error))
  assert.equal(error.kind, 'invalid')
  assert.match(error.message, message)
}

const joined = (...parts: readonly string[]) => parts.map((line) => `${line}\n`).join('')
const withHeader = (change: object) => {
  const header = JSON.stringify({ ...JSON.parse(lines[0] as string), ...change })
  return joined(header, ...lines.slice(1))
}

describe('what is refused before anything is written', () => {
  const bad: readonly [string, () => string | Uint8Array, RegExp][] = [
    ['nothing', () => '', /The export is empty/],
    ['something else', () => 'hello\n', /Line 1 is no JSON object/],
    ['other JSON', () => '{"a":1}\n', /does not begin as an export does/],
    ['bytes that are no text', () => Uint8Array.of(0xff, 0x0a), /Line 1 is no JSON object/],
    [
      'a newer version',
      () => withHeader({ version: 2 }),
      /has version 2; this Holdfast reads up to 1.* newer/,
    ],
    ['no version', () => withHeader({ version: undefined }), /does not begin/],
    ['the header alone', () => joined(lines[0] as string), /cut off after 0 documents/],
    ['half a line', () => text.slice(0, 200), /cut off in line 2/],
    ['half of its lines', () => joined(...lines.slice(0, 9)), /cut off after 8 documents/],
    ['all but the end of the last line', () => text.slice(0, -1), /cut off in line/],
    ['a document less', () => joined(...lines.toSpliced(3, 1)), /documents, and says that it has/],
    ['a letter changed', () => text.replace('Buy milk', 'Buy beer'), /checksum is another/],
    ['a time changed', () => withHeader({ exported_at: 'x' }), /checksum is another/],
    [
      'two in another order',
      () => joined(lines[0]!, lines[2]!, lines[1]!, ...lines.slice(3)),
      /Line 3 stands out of order/,
    ],
    [
      'a document twice',
      () => joined(lines[0]!, lines[1]!, lines[1]!),
      /Line 3 stands out of order, or twice/,
    ],
    [
      'something after the end',
      () => `${text}{"key":"a/b","value":""}\n`,
      /Something follows the end/,
    ],
    [
      'an index entry',
      () => joined(lines[0]!, '{"key":"utask_tags/x","value":""}'),
      /Line 2 is a document of no model/,
    ],
    [
      'a key that is none',
      () => joined(lines[0]!, '{"key":"utask_tasks/../x","value":""}'),
      /Line 2 is a document of no model/,
    ],
    [
      'a document without a value',
      () => joined(lines[0]!, '{"key":"utask_tasks/a"}'),
      /Line 2 is no document/,
    ],
    [
      'a value that is no base64',
      () => joined(lines[0]!, '{"key":"utask_tasks/a","base64":"?"}'),
      /Line 2 is no document/,
    ],
    [
      'a value that is too large',
      () =>
        joined(lines[0]!, JSON.stringify({ key: 'utask_tasks/a', value: 'x'.repeat(1_000_001) })),
      /more than 1000000 bytes/,
    ],
    ['a line without an end', () => 'x'.repeat(9_000_000), /Line 1 has more than/],
  ]
  for (const [name, make, message] of bad) test(name, () => refusedAs(make(), message))
})

describe('a store that is not empty', () => {
  test('is refused for a model that it has documents of, and nothing is written', async () => {
    await using store = await openStore('memory:')
    await new TaskTree(store).create({ title: 'Mine' }, 'ann')
    const before = await everything(store, /^$/)
    const error = await copy(store).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof NotEmptyError, String(error))
    assert.equal(error.kind, 'refused')
    assert.match(error.message, /has tasks of tree already.*--merge/)
    assert.deepEqual(await everything(store, /^$/), before)
  })

  test('takes what it has no documents of', async () => {
    await using only = await openStore('memory:')
    await new TaskList(only).add('Only this')
    const list = await exportOf(only)
    await using store = await openStore('memory:')
    await new TaskTree(store).create({ title: 'Mine' }, 'ann')
    const contents = await checkedExport(chunksOf(list))
    assert.equal((await imported(store, contents, chunksOf(list), { merge: false })).written, 1)
  })

  test('with --merge: what is there stays as it is, and is told', async () => {
    await using store = await openStore('memory:')
    await copy(store)
    const list = new TaskList(store)
    const [task] = await list.query({ any: ['work'] })
    await list.update(task!.id, { text: 'Mine now' })
    await list.delete((await list.query({ any: ['errand'] }))[0]!.id)
    const { written, kept, keptKeys, same, documents } = await copy(store, true)
    assert.deepEqual({ written, kept, same }, { written: 1, kept: 1, same: documents - 2 })
    assert.deepEqual(keptKeys, [`utask_tasks/${task!.id}`])
    assert.equal((await list.get(task!.id)).text, 'Mine now')
    assert.equal((await list.query({ any: ['errand'] })).length, 1)
  })

  test('with --merge: a task whose idempotency key stands for another one is left out', async () => {
    await using store = await openStore('memory:')
    await using jobs = new TaskManager(store)
    const mine = await jobs.submit({ payload: new Uint8Array(1), idempotencyKey: 'order/7' })
    const queue = new Queue(store)
    const { id } = await queue.submit({ type: 'large', input: 1, idempotencyKey: 'large-1' })
    const { kept, keptKeys } = await copy(store, true)
    assert.deepEqual(keptKeys.map((key) => key.split('/').slice(0, 2).join('/')).sort(), [
      'qo/data',
      'qo/tasks',
      'qo_own/idem',
      'tasks/task',
    ])
    assert.equal(kept, 4)
    assert.equal((await jobs.getByIdempotencyKey('order/7')).id, mine)
    assert.equal(
      (await queue.submit({ type: 'large', input: 1, idempotencyKey: 'large-1' })).id,
      id,
    )
    assert.equal((await jobs.list()).tasks.length, 2)
  })

  test('with --merge: a log that went on elsewhere is not mixed with ours', async () => {
    await using store = await openStore('memory:')
    await copy(store)
    const plans = new Plans(store, { now: () => Date.now() + 5_000 })
    const told = { cmd: 'test' }
    await plans.updateGoal(filled.sid, { title: 'Ours' }, { ...told, reason: 'because' })
    // The other side goes on, too, under the same number.
    const theirs = new Plans(source, { now: () => Date.now() + 9_000 })
    await theirs.addTasks(filled.sid, [{ title: 'Theirs', description: '' }], told)
    await theirs.addTasks(filled.sid, [{ title: 'Theirs too', description: '' }], told)
    text = await exportOf(source)
    const { kept } = await copy(store, true)
    assert.ok(kept > 1)
    const { goal, tasks } = await plans.plan(filled.sid)
    assert.equal(goal?.title, 'Ours')
    assert.deepEqual(
      tasks.map(({ title }) => title),
      ['One', 'Two'],
    )
    assert.equal((await plans.events(filled.sid)).total, 5)
  })
})

describe('an import that is interrupted', () => {
  test('says how far it got, and the same with --merge does the rest', async () => {
    await using store = await openStore('memory:interrupted')
    const failing = flaky(await openStore('memory:interrupted'), { failBefore: 20 })
    const error = await copy(failing).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof StoreError, String(error))
    assert.match(error.message, /\d+ of \d+ documents were written\..*--merge/)
    const { kept } = await copy(store, true)
    assert.equal(kept, 0)
    assert.equal(await exportOf(store), text)
  })

  test('by a lost answer goes on: it looks whether its own write is there', async () => {
    await using inner = await openStore('memory:lost')
    const losing = flaky(await openStore('memory:lost'), { failAfter: 3 })
    await copy(losing)
    assert.equal(await exportOf(inner), text)
  })
})

test('a document that somebody else wrote meanwhile is a refusal, not a loss', async () => {
  await using store = await openStore('memory:')
  await copy(store)
  const [task] = await new TaskList(store).query({ any: ['work'] })
  await new TaskList(store).update(task!.id, { text: 'Theirs' })
  const error = await copy(new JustFilled(store)).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof NotEmptyError, String(error))
  assert.match(error.message, /Somebody else writes to the store/)
  assert.equal((await new TaskList(store).get(task!.id)).text, 'Theirs')
})

/** A store whose lists are empty, as they were a moment ago. */
class JustFilled implements Store {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  get limits() {
    return this.#store.limits
  }

  get(key: string) {
    return this.#store.get(key)
  }

  async *list() {}

  async *scan() {}

  commit(writes: readonly Write[]) {
    return this.#store.commit(writes)
  }

  async *watch() {}

  now() {
    return this.#store.now()
  }

  async [Symbol.asyncDispose]() {}
}
