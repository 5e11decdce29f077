import { type Queue, shards, statuses, type TaskStatus } from '../../queue/internal.ts'
import { ref } from '../../schema/index.ts'
import { cursorAnswer, cursorField, cursorHeaders, limitField } from '../paging.ts'
import type { Route } from '../route.ts'
import { listed } from './shown.ts'

/** So many are looked at for one page: whoever wants more goes on from there. */
const readMax = 20_000
/** Each may have 128 KiB; to begin a step costs a bucket a list of its shards. */
const readAtOnceMax = 250

interface Asked {
  readonly status?: TaskStatus
  readonly type?: string
  readonly shard?: string
  readonly text?: string
  readonly limit?: number
  readonly cursor?: string
}

export const list = (queue: Queue): Route => ({
  method: 'GET',
  path: '/api/queue/tasks',
  role: 'read',
  summary: 'List tasks of the queue',
  details: `The newest first; 50 unless a limit is given. Archived ones are shown only by their status. After ${readMax} tasks that do not match a page ends (pending and running ones come first, from their index, then up to 1,000 others are looked at), and \`X-Next-Cursor\` leads on. A large input or output is null, and \`input_omitted\` or \`output_omitted\` true.`,
  query: {
    status: { schema: { type: 'string', enum: statuses, description: 'Only in this status.' } },
    type: { schema: { type: 'string', minLength: 1, description: 'Only of this type.' } },
    shard: {
      schema: {
        type: 'string',
        enum: [...shards, ...shards.slice(10).map((digit) => digit.toUpperCase())],
        description: 'Only of this shard.',
      },
    },
    text: {
      schema: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description: 'Somewhere in its id, type, worker, key, error, input or output.',
      },
    },
    ...limitField,
    ...cursorField,
  },
  outcomes: {
    200: {
      about: 'A page of tasks.',
      schema: { type: 'array', items: ref('QueueTask') },
      headers: cursorHeaders,
    },
  },
  errors: [],
  handle: async (call) => {
    const { limit = 50, cursor, ...filter } = call.query as Asked
    return cursorAnswer(call, {
      limit,
      cursor,
      readAtOnceMax,
      read: async (wanted, cursor) => {
        // All steps of a page together look at so many.
        const share = Math.ceil((readMax * wanted) / limit)
        const page = await queue.list({ ...filter, cursor, limit: wanted, readMax: share })
        const gaveUp = page.tasks.length < wanted && page.cursor !== null
        return { items: page.tasks, cursor: page.cursor, gaveUp }
      },
      shown: listed,
    })
  },
})
