import {
  numbered,
  type Pages,
  statesOf,
  type TaskVersion,
  type Told,
} from '../../../src/queue/history.ts'
import { historyKeyOf } from '../../../src/queue/keys.ts'
import type { Client } from './client.ts'
import { nameOf, parsed } from './documents.ts'
import { eachOf, versionIds } from './listing.ts'

const versionsMax = 100

/** Where the queue keeps the changes that have outgrown a task. */
const pageName = (id: string, page: number): string => `holdfast/${historyKeyOf(id, page)}!`

export const pagesIn = (client: Client, id: string, signal?: AbortSignal): Pages => ({
  create: (page, json) =>
    client.put(pageName(id, page), json, {
      'If-None-Match': '*',
      'Content-Type': 'application/octet-stream',
    }),
  read: async (page) => (await client.get(pageName(id, page), { signal }))?.text ?? null,
})

/** All states of a task: those that the bucket has kept, and those that its trail knows. */
export async function historyOf(
  client: Client,
  id: string,
  { isVersioned, signal }: { isVersioned: boolean; signal?: AbortSignal | undefined },
): Promise<readonly TaskVersion[]> {
  const versions = isVersioned ? await versionIds(client, nameOf(id), versionsMax, signal) : []
  const queries = isVersioned ? versions.map((versionId) => ({ query: { versionId } })) : [{}]
  const found = await eachOf(queries, (query) => client.get(nameOf(id), { ...query, signal }))
  const kept = found.flatMap((each) => readable(each?.text ?? '', id))
  return numbered(await statesOf(kept.reverse(), pagesIn(client, id, signal)))
}

function readable(text: string, id: string): Told[] {
  try {
    return [parsed(text, id)]
  } catch {
    return []
  }
}
