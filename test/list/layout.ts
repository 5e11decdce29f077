import assert from 'node:assert/strict'
import type { Store } from '../../src/store/index.ts'

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** The lists of tags as they lie in the store, worked out by hand from the specification. */
export async function tagLists(store: Store): Promise<Map<string, Set<string>>> {
  const lists = new Map<string, Set<string>>()
  for await (const { key, value } of store.scan('utask_tags')) {
    const [, tag, digits = ''] = key.split('/') as [string, string, string?]
    const ids = text(value).split('\n')
    assert.ok(ids.length <= 500, `${key} has ${ids.length} ids`)
    assert.ok(ids.length > 0 && ids.every((id) => /^[0-9a-f]{128}$/.test(id)), key)
    assert.ok(
      ids.every((id) => id.startsWith(digits)),
      key,
    )
    const set = lists.get(tag) ?? new Set()
    for (const id of ids) {
      assert.ok(!set.has(id), `${tag} has ${id} twice`)
      set.add(id)
    }
    lists.set(tag, set)
  }
  return lists
}

/** What the lists should be by what the tasks say; tasks that are no JSON are left out. */
async function impliedLists(store: Store): Promise<Map<string, Set<string>>> {
  const lists = new Map<string, Set<string>>()
  for await (const { key, value } of store.scan('utask_tasks')) {
    const task = JSON.parse(text(value)) as { id: string; tags: string[] }
    assert.equal(key, `utask_tasks/${task.id}`)
    for (const tag of task.tags) {
      const segment = tag === '.' ? '%2E' : tag.replaceAll('%', '%25').replaceAll('/', '%2F')
      lists.set(segment, (lists.get(segment) ?? new Set()).add(task.id))
    }
  }
  return lists
}

const comparable = (lists: Map<string, Set<string>>) =>
  [...lists].map(([tag, ids]) => [tag, ...[...ids].sort()]).sort()

/** Every list is exactly what the tasks say. */
export async function assertTagLists(store: Store): Promise<void> {
  assert.deepEqual(comparable(await tagLists(store)), comparable(await impliedLists(store)))
}

/** No list lacks a task. */
export async function assertNoTaskMissed(store: Store): Promise<void> {
  const lists = await tagLists(store)
  for (const [tag, ids] of await impliedLists(store))
    for (const id of ids) assert.ok(lists.get(tag)?.has(id), `${tag} lacks ${id}`)
}
