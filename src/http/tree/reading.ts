import { ref } from '../../schema/index.ts'
import {
  nestedSubtree,
  type SubtreeTask,
  type TaskReading,
  type TaskTree,
} from '../../tree/internal.ts'
import { kitError } from '../error.ts'
import { isUnchanged } from '../etag.ts'
import { fitted, limitMax, offsetAnswer, pageHeaders } from '../paging.ts'
import type { Answer, Call, Route } from '../route.ts'
import { nodeJson } from './node-json.ts'
import { tagOf, taskShown } from './shown.ts'

/** A task that was read before is answered without waiting. */
export const readingOf = (tree: TaskTree): Partial<Route> => ({
  headers: {
    'If-None-Match': {
      schema: { type: 'string', description: 'Answer with 304 if this still is its ETag.' },
    },
  },
  outcomes: {
    200: {
      about: 'The task, as it is now.',
      schema: ref('Task'),
      headers: taskShown.headers ?? {},
    },
    304: { about: 'It is still what If-None-Match names.' },
  },
  handle: ({ params, headers }) => {
    const id = params['id'] as string
    const known = tree.readAgain(id)
    const wanted = headers['if-none-match']
    return known ? shown(known, wanted) : tree.read(id).then((reading) => shown(reading, wanted))
  },
})

function shown(reading: TaskReading, ifNoneMatch: string | undefined): Answer {
  const etag = tagOf(reading.version, reading)
  return isUnchanged(ifNoneMatch, etag)
    ? { status: 304, etag }
    : { status: 200, etag, json: reading.json }
}

/** A subtree as a list, or nested. */
export const subtreeOf = (tree: TaskTree): Partial<Route> => ({
  outcomes: {
    200: {
      about: 'The task with nested `children`; or, with `flat`, an array of tasks without them.',
      schema: { anyOf: [ref('TaskNode'), { type: 'array', items: ref('SubtreeTask') }] },
      headers: {
        ...pageHeaders,
        'X-Total-Count': 'How many tasks there are in all; left out where not all were looked at.',
      },
    },
  },
  handle: (call) => subtreeAnswer(tree, call),
})

interface SubtreeQuery {
  readonly include_deleted?: boolean
  readonly flat?: boolean
  readonly depth?: number
  readonly limit?: number
  readonly offset?: number
}

/** Reads no more than is asked for; a page that has too many bytes is cut. */
async function subtreeAnswer(tree: TaskTree, call: Call): Promise<Answer> {
  const { include_deleted, flat = false, depth, limit, offset = 0 } = call.query as SubtreeQuery
  if (offset > 0 && !flat) throw kitError('INVALID_QUERY', 'offset goes with flat=true.')
  const options = { includeDeleted: include_deleted === true, depth, limit, offset }
  const page = await tree.subtreeList(call.params['id'] as string, options)
  const { tasks: items, total, hasMore } = page
  const length = Math.max(1, limit ?? items.length)
  const offsets = { items, limit: length, offset, total, hasMore }
  if (flat) return offsetAnswer(call, offsets)
  const { count } = await fitted(asLeaves(items))
  const json = await nodeJson(await nestedSubtree(items.slice(0, count)))
  if (count === items.length && !hasMore)
    return { status: 200, json, headers: { 'X-Total-Count': String(count) } }
  const { pathname, searchParams } = new URL(call.url, 'http://localhost')
  for (const [name, value] of Object.entries({
    flat: true,
    offset: count,
    limit: Math.min(length, limitMax),
  }))
    searchParams.set(name, String(value))
  const headers = { Link: `<${pathname}?${searchParams}>; rel="next"` }
  return {
    status: 200,
    json,
    headers: total === null ? headers : { ...headers, 'X-Total-Count': String(total) },
  }
}

/** What each task adds to a nested answer. */
function* asLeaves(tasks: readonly SubtreeTask[]): Generator<object> {
  for (const task of tasks) yield { ...task, children: [] }
}
