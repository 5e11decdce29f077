import { createHash } from 'node:crypto'
import { partition } from '../../src/collection/set-lists.ts'
import { create, openStore, type Store, type Write } from '../../src/store/index.ts'

const encode = (text: string) => new TextEncoder().encode(text)

/** So many tasks, each with two of so many tags; and ten more with both "rare" and "rarer". */
export async function filled(taskCount: number, tagCount: number, url = 'memory:'): Promise<Store> {
  const store = await openStore(url)
  const lists = new Map<string, string[]>()
  const writes: Write[] = []
  for (let at = 0; at < taskCount + 10; at++) {
    const id = createHash('sha512').update(String(at)).digest('hex')
    const common = [`tag${at % tagCount}`, `tag${(at * 7 + 1) % tagCount}`]
    const tags = [...new Set(at < taskCount ? common : ['rare', 'rarer'])]
    const created = new Date(1_700_000_000_000 + at).toISOString()
    const task = { id, text: `task ${at}`, done: false, tags, created }
    writes.push(create(`utask_tasks/${id}`, encode(JSON.stringify(task))))
    for (const tag of tags) {
      const ids = lists.get(tag)
      if (ids) ids.push(id)
      else lists.set(tag, [id])
    }
  }
  for (const [tag, ids] of lists) {
    const parts = ids.length <= 500 ? [['', ids] as const] : partition(ids, 1)
    for (const [digits, part] of parts)
      writes.push(create(`utask_tags/${tag}${digits && `/${digits}`}`, encode(part.join('\n'))))
  }
  for (let at = 0; at < writes.length; at += 1000) await store.commit(writes.slice(at, at + 1000))
  return store
}
