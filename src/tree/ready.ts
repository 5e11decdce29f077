import { pooled } from '../collection/index.ts'
import { Ancestry } from './ancestry.ts'
import { type Matches, matchesOf, type TaskQuery } from './filter.ts'
import { lastSegment, prefixes } from './keys.ts'
import type { TreeParts } from './parts.ts'
import type { Place } from './places.ts'
import type { ReadyOptions, ReadyPage } from './queries.ts'
import { type Task, type TaskDocument, taskOf } from './task.ts'
import { isStartable, UnfinishedBelow } from './unfinished.ts'

/** How many entries of the ready index are looked at together. */
const chunkMin = 32
const chunkMax = 1_000

interface Reading extends ReadyOptions {
  /** Whether to give also what nobody can start. */
  readonly isAnyOpen?: boolean
}

/**
 * What somebody can start now: open, with no child that is not closed, and below nothing that is blocked or closed.
 * The index names what is open, in order; the rest follows from the tasks themselves, chunk by chunk.
 */
export async function readReady(
  parts: TreeParts,
  query: TaskQuery,
  { withTotal = false, countMax = Number.POSITIVE_INFINITY, isAnyOpen = false }: Reading,
): Promise<ReadyPage> {
  const { limit, offset } = query as { limit: number; offset: number }
  const wanted = Math.max(offset + limit + 1, withTotal ? countMax + 1 : 0)
  const matches = matchesOf(query)
  const choose = isAnyOpen ? openOnes(parts, matches) : await startable(parts, matches)
  const found = new Map<string, Task>()
  let after: string | undefined
  let isEnd = false
  // More each time: there may be many that nobody can start.
  for (let least = chunkMin; !isEnd && found.size < wanted; least *= 2) {
    const chunk = Math.min(Math.max(least, wanted - found.size), chunkMax)
    const keys: string[] = []
    for await (const { key } of parts.store.list(prefixes.ready, { after, limit: chunk }))
      keys.push(key)
    // What changes its priority meanwhile may be met twice.
    for (const task of await choose(keys)) if (!found.has(task.id)) found.set(task.id, task)
    after = keys.at(-1) ?? after
    isEnd = keys.length < chunk
  }
  const tasks = [...found.values()].slice(offset, offset + limit)
  const total = withTotal && isEnd ? found.size : null
  return { tasks, hasMore: found.size > offset + limit, total }
}

type Choose = (keys: readonly string[]) => Promise<Task[]>

/** Chooses among the tasks at some keys of the index those that match, and that somebody can start. */
async function startable(parts: TreeParts, matches: Matches): Promise<Choose> {
  const unfinished = await UnfinishedBelow.read(parts, await parts.shape.structure.isWhole())
  return chosen(parts, matches, async ({ id }, { isHalted }) => !isHalted && unfinished.allows(id))
}

const openOnes = (parts: TreeParts, matches: Matches): Choose =>
  chosen(parts, matches, async () => true)

function chosen(
  parts: TreeParts,
  matches: Matches,
  isChosen: (document: TaskDocument, place: Place) => Promise<boolean>,
): Choose {
  const ancestry = new Ancestry(parts.tasks)
  return async (keys) => {
    const wanted = (await openAt(parts, keys)).filter(matches)
    const places = await ancestry.placesOf(wanted)
    const found = await pooled(wanted, async (document, at) => {
      const place = places[at] as Place
      if (!place.isThere || !(await isChosen(document, place))) return null
      return taskOf(document, place.depth)
    })
    return found.filter((task) => task !== null)
  }
}

/** The tasks at these keys that are what the index says. */
async function openAt({ tasks }: TreeParts, keys: readonly string[]): Promise<TaskDocument[]> {
  const documents = await tasks.getAll([...new Set(keys.map(lastSegment))])
  const byKey = new Map(
    documents.map(({ value }) => [`${prefixes.ready}/${value.priority}/${value.id}`, value]),
  )
  return keys.flatMap((key) => byKey.get(key) ?? []).filter(isStartable)
}
