import type { Route, ServerEvent, Table } from '../route.ts'
import type { ChangesHub } from './hub.ts'

/** What happens, to any of the models. */
export const changesTable = (hub: ChangesHub, models: readonly string[]): Table => ({
  name: 'Changes',
  about: 'What happens to any of the models, as hints: whoever hears of something reads it again.',
  routes: [changes(hub, models)],
})

const changes = (hub: ChangesHub, models: readonly string[]): Route => ({
  method: 'GET',
  path: '/api/changes',
  role: 'read',
  summary: 'Follow what changes',
  details:
    'Server-sent events: `change` with a model and an id; of a plan that of its session. `resync` comes first, and wherever something may have been missed: then read again what you show. Several changes of one thing may be told once. To send a token, read the stream with `fetch`.',
  query: {
    models: {
      schema: {
        type: 'array',
        items: { type: 'string', enum: models },
        description: 'Only of these; of all if left out.',
      },
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
  handle: async ({ query, signal }) => ({
    status: 200,
    events: told(hub, (query['models'] as string[] | undefined) ?? models, signal()),
  }),
})

async function* told(
  hub: ChangesHub,
  models: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  for await (const change of hub.follow(models, signal))
    yield change === 'resync' ? { event: 'resync', data: {} } : { event: 'change', data: change }
}
