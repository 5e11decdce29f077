import { type JsonSchema, objectOf, orNull, ref, text } from '../../schema/index.ts'
import {
  explainGrimoire,
  type MatcherState,
  operations,
  type TaskTree,
} from '../../tree/internal.ts'
import { fieldsOf } from '../operations.ts'
import type { Route, ServerEvent, Table } from '../route.ts'
import type { LiveFeed } from './live-feed.ts'

/** What the matchers say now. */
export type Matchers = () => Promise<Pick<MatcherState, 'rules' | 'problem'>>

/** What the server knows beside the tree. */
export const insight = (
  tree: TaskTree,
  matchers: Matchers,
  feed: LiveFeed,
): Pick<Table, 'routes' | 'schemas'> => ({
  routes: [grimoireMatch(tree, matchers), events(feed)],
  schemas,
})

const grimoireMatch = (tree: TaskTree, matchers: Matchers): Route => ({
  method: 'GET',
  path: '/api/tasks/:id/grimoire-match',
  role: 'read',
  summary: 'Explain which grimoire a task would be given',
  params: fieldsOf(operations.tasks.get.input),
  outcomes: {
    200: { about: 'The choice, and what every matcher says.', schema: ref('GrimoireMatch') },
  },
  errors: ['INVALID_ID', 'TASK_NOT_FOUND'],
  handle: async ({ params }) => {
    const id = params['id'] as string
    const task = await tree.get(id)
    const [parent] = task.parent_id === null ? [] : await tree.ancestors(id)
    return {
      status: 200,
      body: explainGrimoire(await matchers(), task, parent?.grimoire ?? null),
    }
  },
})

const events = (feed: LiveFeed): Route => ({
  method: 'GET',
  path: '/api/events',
  role: 'read',
  summary: 'Follow what happens to the tasks',
  details:
    'Server-sent events: `task.created`, `task.updated`, `task.claimed`, `task.released`, `task.deleted`, each with the task as its data; and `resync` where something may have been missed: then read the tasks again.',
  headers: {
    'Last-Event-ID': {
      schema: { type: 'string', description: 'Go on after this event; else from now on.' },
    },
  },
  outcomes: {
    200: {
      about: 'Events, as long as the connection stands.',
      type: 'text/event-stream',
      schema: { type: 'string' },
    },
  },
  errors: [],
  handle: async ({ headers, signal }) => ({
    status: 200,
    events: told(feed, headers['last-event-id'] ?? null, signal()),
  }),
})

async function* told(
  feed: LiveFeed,
  lastSeen: string | null,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const start = lastSeen ?? feed.lastId
  // Who is cut off before anything happens knows where to go on from, too.
  if (lastSeen === null) yield { id: start }
  for await (const event of feed.events(start, signal))
    yield { id: event.id, event: event.type, data: event.type === 'resync' ? {} : event.task }
}

const whole = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  objectOf(properties, { required: Object.keys(properties) })

const schemas: Readonly<Record<string, JsonSchema>> = {
  GrimoireMatch: objectOf(
    {
      selected_grimoire: { type: 'string' },
      matched_by: {
        type: 'string',
        description: 'A matcher, `grimoire_hint`, `grimoire:tag` or `default`.',
      },
      evaluation: {
        type: 'array',
        items: whole({
          name: { type: 'string' },
          matched: { type: 'boolean' },
          reason: { type: 'string' },
        }),
      },
      task_properties: whole({
        tags: { type: 'array', items: { type: 'string' } },
        priority: { type: 'integer' },
        type: { type: 'string' },
        has_parent: { type: 'boolean' },
        grimoire_hint: orNull(text).schema,
        parent_grimoire: orNull(text).schema,
      }),
      matcher_file_error: { type: 'string', description: 'Only while the file is broken.' },
    },
    { required: ['selected_grimoire', 'matched_by', 'evaluation', 'task_properties'] },
  ),
}
