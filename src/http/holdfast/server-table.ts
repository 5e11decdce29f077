import { roles } from '../../access/index.ts'
import { type JsonSchema, objectOf, ref } from '../../schema/index.ts'
import type { Store } from '../../store/internal.ts'
import type { Route, Table } from '../route.ts'

/** What a client needs to know of the server before anything else. */
interface About {
  readonly store: Store
  /** The kind of store: `sqlite`, `nats`, `s3`, `memory`. */
  readonly storeKind: string
  readonly version: string
}

/** The models in the order in which they are shown. */
export const models = ['list', 'plan', 'jobs', 'tree', 'queue'] as const
export type Model = (typeof models)[number]

const serverSchemas: Readonly<Record<string, JsonSchema>> = {
  Server: objectOf(
    {
      store: { type: 'string', description: 'The kind of store.' },
      durability: {
        enum: ['none', 'durable', 'unverified'],
        description: 'What an acknowledged change survives.',
      },
      version: { type: 'string' },
      models: { type: 'array', items: { enum: models } },
      now: { type: 'string', format: 'date-time', description: 'By the clock of the store.' },
      caller: objectOf(
        {
          name: { type: 'string' },
          role: { enum: roles },
        },
        { required: ['name', 'role'], description: 'Who asks, where it is a named token.' },
      ),
    },
    { required: ['store', 'durability', 'version', 'models', 'now'] },
  ),
}

export const serverTable = (about: About): Table => ({
  name: 'Server',
  about: 'What this server is, and what it serves.',
  routes: [server(about)],
  schemas: serverSchemas,
})

const server = ({ store, storeKind, version }: About): Route => ({
  method: 'GET',
  path: '/api/models',
  role: 'read',
  summary: 'Say what is served',
  outcomes: {
    200: { about: 'The store, its clock, the models, and who asks.', schema: ref('Server') },
  },
  errors: [],
  handle: async ({ caller: { name, role } }) => ({
    status: 200,
    body: {
      store: storeKind,
      durability: store.limits.durability,
      version,
      models,
      now: new Date(await store.now()).toISOString(),
      ...(name === null ? {} : { caller: { name, role } }),
    },
  }),
})
