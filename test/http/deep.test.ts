import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Serving } from '../../src/http/index.ts'
import { openStore, type Store } from '../../src/store/index.ts'
import type { Task, TaskNode } from '../../src/tree/index.ts'
import { idOf, plant } from '../tree/planted.ts'
import { Caller, served } from './served.ts'

/** A server and the tasks that it has, whatever their shape. */
interface Ground {
  readonly store: Store
  readonly serving: Serving
}

/** So deep that its JSON takes several pages. */
const deep = 12_000

describe('a part of a subtree', () => {
  let ground: Ground
  let api: Caller
  beforeAll(async () => {
    const store = await openStore('memory:')
    // 0 has 1 to 3, each of which has three more, and so on.
    await plant(store, 40, (n) => ({ parent: n === 0 ? null : Math.floor((n - 1) / 3) }))
    ground = { store, serving: await served(store) }
    api = await Caller.to(ground.serving.url)
  })
  afterAll(() => ground.serving[Symbol.asyncDispose]())

  const path = `/api/tasks/${idOf(0)}/subtree`
  const numbersOf = (tasks: readonly Task[]) => tasks.map(({ title }) => Number(title.slice(5)))
  const flat = async (query: string) => api.get<Task[]>(`${path}?flat=true${query}`)
  const numbersIn = (node: TaskNode): number[] => [
    ...numbersOf([node]),
    ...node.children.flatMap(numbersIn),
  ]

  test('flat: an array, level by level, with relative_depth', async () => {
    const { body, headers } = await flat('')
    assert.deepEqual(
      numbersOf(body),
      Array.from({ length: 40 }, (_, n) => n),
    )
    assert.deepEqual(
      [body[0], body[39]].map((t) => (t as TaskNode).relative_depth),
      [0, 3],
    )
    assert.ok(!('children' in (body[0] as object)))
    assert.equal(headers.get('x-total-count'), '40')
  })

  test('depth: so many levels below the top, nested or flat', async () => {
    assert.deepEqual(numbersOf((await flat('&depth=1')).body), [0, 1, 2, 3])
    const nested = await api.get<TaskNode>(`${path}?depth=1`)
    assert.deepEqual(numbersIn(nested.body), [0, 1, 2, 3])
    assert.deepEqual(numbersIn((await api.get<TaskNode>(`${path}?depth=0`)).body), [0])
  })

  test('limit: so many tasks in all, the top included, the nearest first; the rest follows by Link', async () => {
    const nested = await api.get<TaskNode>(`${path}?limit=6`)
    assert.deepEqual(numbersIn(nested.body).sort(), [0, 1, 2, 3, 4, 5])
    const seen: number[] = []
    for (let next: string | null = `${path}?flat=true&limit=7`; next; ) {
      const page: { body: Task[]; headers: Headers } = await api.get<Task[]>(next)
      assert.ok(page.body.length <= 7)
      seen.push(...numbersOf(page.body))
      next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? null
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 40 }, (_, n) => n),
    )
    const more = /<([^>]+)>; rel="next"/.exec(nested.headers.get('link') ?? '')?.[1] as string
    assert.deepEqual(numbersOf((await api.get<Task[]>(more)).body), [6, 7, 8, 9, 10, 11])
  })

  test('what can not be is refused', async () => {
    for (const query of ['depth=-1', 'depth=x', 'limit=0', 'limit=1001', 'flat=1', 'offset=3'])
      await api.refused(['GET', `${path}?${query}`], 'INVALID_QUERY')
  })
})

test('a subtree whose JSON is too much for a page is cut at its deepest, and all of it can be read', async () => {
  const store = await openStore('memory:')
  await plant(store, deep, (n) => ({ parent: n === 0 ? null : n - 1 }))
  await using serving = await served(store)
  const path = `/api/tasks/${idOf(0)}/subtree`
  const first = await fetch(`${serving.url}${path}`)
  const text = await first.text()
  assert.ok(text.length <= 4_000_000)
  let count = text.match(/"relative_depth"/g)?.length ?? 0
  assert.ok(count > 1_000 && count < deep)
  for (let link = first.headers.get('link'); ; ) {
    const next = /<([^>]+)>; rel="next"/.exec(link ?? '')?.[1]
    if (next === undefined) break
    const page = await fetch(`${serving.url}${next}`)
    count += ((await page.json()) as Task[]).length
    link = page.headers.get('link')
  }
  assert.equal(count, deep)
})
