import { ref } from '../../schema/index.ts'
import { explainGrimoire, type MatcherState, type TaskTree } from '../../tree/internal.ts'
import { wholeAnswer } from '../paging.ts'
import type { Route, ServerEvent, Table } from '../route.ts'
import { historyQuery, idParam } from './fields.ts'
import type { LiveFeed } from './live-feed.ts'
import { listOutcome, onReading } from './outcomes.ts'

/** What the matchers say now. */
export type Matchers = () => Promise<Pick<MatcherState, 'rules' | 'problem'>>

export const insight = (tree: TaskTree, matchers: Matchers, feed: LiveFeed): Table => ({
  name: 'Insight',
  about: 'What has happened, what happens, and why.',
  routes: [history(tree), grimoireMatch(tree, matchers), events(feed)],
})

const history = (tree: TaskTree): Route => ({
  method: 'GET',
  path: '/api/tasks/:id/history',
  role: 'read',
  summary: 'List the changes of a task',
  details: 'The newest first, one entry for each changed field; all, unless a limit is given.',
  params: idParam,
  query: historyQuery,
  outcomes: listOutcome('Its changes.', 'HistoryEntry'),
  errors: onReading,
  handle: async (call) => {
    const { field, since } = call.query as { field?: string; since?: string }
    return wholeAnswer(call, await tree.history(call.params['id'] as string, { field, since }))
  },
})

const grimoireMatch = (tree: TaskTree, matchers: Matchers): Route => ({
  method: 'GET',
  path: '/api/tasks/:id/grimoire-match',
  role: 'read',
  summary: 'Explain which grimoire a task would be given',
  params: idParam,
  outcomes: {
    200: { about: 'The choice, and what every matcher says.', schema: ref('GrimoireMatch') },
  },
  errors: onReading,
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
