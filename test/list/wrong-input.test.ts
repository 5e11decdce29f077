import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { describe, test } from 'vitest'
import { InvalidTaskError, Refusal, TaskList, TaskNotFoundError } from '../../src/list/index.ts'
import { openStore } from '../../src/store/index.ts'

/** A list with one task, and everything that is stored of it. */
async function prepared() {
  const store = await openStore('memory:')
  const tasks = new TaskList(store)
  const { id } = await tasks.add('Buy milk', ['errand'])
  const contents = async () => {
    const all: string[] = []
    for await (const { key, value } of store.scan('')) all.push(`${key} ${Buffer.from(value)}`)
    return all
  }
  const call = async (name: string, args: readonly unknown[]) =>
    (tasks as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(...args)
  return { tasks, id, contents, call, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

/** Every method with right arguments that change nothing, of which one is replaced. Any words are a task's. */
const methods: Readonly<Record<string, (id: string) => unknown[]>> = {
  add: () => ['', []],
  get: (id) => [id],
  update: (id) => [id, { done: false }, {}],
  edit: (id) => [id, { done: false }, {}],
  delete: () => ['0', { state: 'another' }],
  query: () => [{}],
  resolve: (id) => [id],
  alike: (id) => [[id], 12],
  rebuildIndex: () => [{}],
}

const junk: readonly unknown[] = [
  ...[null, 7, -1, 0.5, Number.NaN, true, 'wat', '../..', [], () => 1, Symbol('x')],
  ...[10n, Object.create(null)],
  ...[[null], [7], [[]], [{}], { wat: 1 }, { text: 7 }, { done: 'yes' }, { tags: 7 }, { state: 7 }],
  ...[{ tags: { ad: ['x'] } }, { tags: { add: 'x' } }, { any: 'x' }, { all: [7] }, { limit: '5' }],
]

describe('wrong input', () => {
  for (const [name, argumentsOf] of Object.entries(methods))
    test(`${name}() refuses it with a typed error, and changes nothing`, async () => {
      await using place = await prepared()
      const { id, contents, call } = place
      const right = argumentsOf(id)
      const before = await contents()
      for (const at of right.keys())
        for (const wrong of junk)
          if (!(name === 'add' && typeof wrong === 'string'))
            await call(name, right.with(at, wrong)).catch((error: unknown) => {
              assert.ok(error instanceof Refusal, `${name} ${at} ${inspect(wrong)}: ${error}`)
            })
      assert.deepEqual(await contents(), before)
    })

  const refused: readonly [string, string, (id: string) => unknown[]][] = [
    ['an edit that is no object', 'update', (id) => [id, 'done']],
    ['a field that it does not know', 'update', (id) => [id, { dnoe: true }]],
    ['a field of tags that it does not know', 'update', (id) => [id, { tags: { ad: ['x'] } }]],
    ['a condition that is no object', 'update', (id) => [id, { done: true }, null]],
    ['a state that is no string', 'delete', (id) => [id, { state: 7 }]],
    ['a filter that it does not know', 'query', () => [{ tags: ['errand'] }]],
    ['a done that is a word', 'query', () => [{ done: 'yes' }]],
    ['a filter that is no object', 'query', () => [null]],
    ['tags of a filter that are null', 'query', () => [{ any: null }]],
    ['a limit that is no number', 'query', () => [{ limit: '5' }]],
    ['ids that are no list', 'alike', () => ['ab', 12]],
    ['a number of digits that is none', 'alike', (id) => [[id], 'x']],
  ]
  for (const [what, name, argumentsOf] of refused)
    test(`${name}: ${what} is an InvalidTaskError`, async () => {
      await using place = await prepared()
      const before = await place.contents()
      await assert.rejects(place.call(name, argumentsOf(place.id)), (error) => {
        assert.ok(error instanceof InvalidTaskError, String(error))
        assert.match(error.message, /^\S.*\. [A-Z].*\.$/)
        return true
      })
      assert.deepEqual(await place.contents(), before)
    })

  test('a task that is not there is a TaskNotFoundError, whoever asks', async () => {
    await using place = await prepared()
    for (const [name, more] of [
      ['get', []],
      ['resolve', []],
      ['update', [{ done: true }]],
      ['edit', [{}]],
      ['delete', []],
    ] as const)
      for (const id of ['0'.repeat(128), place.id.startsWith('0') ? '1' : '0'])
        await assert.rejects(place.call(name, [id, ...more]), TaskNotFoundError)
  })
})
