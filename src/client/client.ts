import { operations as jobs } from '../jobs/operations.ts'
import { operations as list } from '../list/operations.ts'
import { operations as plan } from '../plan/operations.ts'
import { operations as queue } from '../queue/operations.ts'
import type { Task as TreeTask } from '../tree/internal.ts'
import { operations as tree } from '../tree/operations.ts'
import { type Asked, type ClientOptions, Connection } from './connection.ts'
import { type FollowOptions, follow } from './events.ts'
import { type Methods, methodsOf } from './methods.ts'

/** The table of each model. A client has a part for each, with a method for each row. */
const tables = { jobs, list, plan, queue, tree: flat(tree) }

type Tables = typeof tables

type Together<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void
  ? I
  : never

/** One table of several. */
function flat<T extends Readonly<Record<string, object>>>(groups: T): Together<T[keyof T]> {
  return Object.assign({}, ...Object.values(groups))
}

/** A model that tells of changes. */
export type ModelName = 'list' | 'plan' | 'jobs' | 'tree' | 'queue'

/** A hint: read again what it names (of a plan, `id` is that of its session); after `resync`, all that you show. */
export type Change =
  | { readonly type: 'resync' }
  | { readonly type: 'change'; readonly model: ModelName; readonly id: string }

/** What happened to a task of the tree; after `resync`, read the tasks again. `id` is where to go on from. */
export type TreeEvent =
  | { readonly type: 'resync'; readonly id: string | null }
  | { readonly type: `task.${string}`; readonly id: string | null; readonly task: TreeTask }

/** A server of all models: a part for each, and what concerns all of them. */
export type Client = { readonly [Name in keyof Tables]: Methods<Tables[Name]> } & {
  /**
   * Follows what changes in these models, or in all. It comes back by itself where the connection is lost, begins with `resync`
   * each time, and ends when the signal is aborted.
   */
  changes(
    options?: FollowOptions & { readonly models?: readonly ModelName[] },
  ): AsyncGenerator<Change>
  /** Follows the tasks of the tree: from now on, or after the event `lastId`. A lost connection goes on where it ended. */
  events(
    options?: FollowOptions & { readonly lastId?: string | undefined },
  ): AsyncGenerator<TreeEvent>
  /** Any other route of the server, such as `request('GET', '/api/models')`. Changes are sent once, unless they are said to be repeatable. */
  request<T = unknown>(method: string, path: string, asked?: Asked): Promise<T>
}

/**
 * A client of `holdfast serve`. Reads are retried; a change is sent again only where that can’t do it twice.
 *
 * @example
 * ```js
 * import { holdfastClient } from 'holdfast/client'
 *
 * const client = holdfastClient({ url: 'http://127.0.0.1:7700' })
 * await client.jobs.submit({ payload: { to: 'ann' }, idempotency_key: 'mail-1' })
 * for await (const { payload } of client.jobs.list.all({ status: 'pending' })) console.log(payload) // { to: 'ann' }
 * ```
 */
export function holdfastClient(options: ClientOptions): Client {
  const connection = new Connection(options)
  const models = Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [
      name,
      methodsOf(table, connection, options.agent),
    ]),
  )
  return {
    ...(models as { readonly [Name in keyof Tables]: Methods<Tables[Name]> }),
    changes: (following) => changes(connection, following),
    events: (following) => events(connection, following),
    request: async <T>(method: string, path: string, asked?: Asked) =>
      (await connection.ask<T>(method, path, asked)).value,
  }
}

async function* changes(
  connection: Connection,
  { models, ...options }: FollowOptions & { readonly models?: readonly ModelName[] } = {},
): AsyncGenerator<Change> {
  const query = { models: models?.join(',') }
  for await (const { event, data } of follow(connection, '/api/changes', query, options)) {
    if (event === 'resync') yield { type: 'resync' }
    if (event === 'change') yield { type: 'change', ...(data as { model: ModelName; id: string }) }
  }
}

async function* events(
  connection: Connection,
  { lastId, ...options }: FollowOptions & { readonly lastId?: string | undefined } = {},
): AsyncGenerator<TreeEvent> {
  const from = { ...options, lastId: lastId ?? null }
  for await (const { id, event, data } of follow(connection, '/api/events', {}, from))
    if (event === 'resync') yield { type: 'resync', id }
    else yield { type: event as `task.${string}`, id, task: data as TreeTask }
}
