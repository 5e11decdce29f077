import { TaskManager } from '../../jobs/internal.ts'
import { TaskList } from '../../list/internal.ts'
import { Plans } from '../../plan/internal.ts'
import { Monitor, Queue } from '../../queue/internal.ts'
import type { Store } from '../../store/internal.ts'
import { namedIds } from '../access-log.ts'
import { ChangesHub } from '../changes/hub.ts'
import { changesTable } from '../changes/table.ts'
import { jobsTable } from '../jobs/table.ts'
import { listTable } from '../list/table.ts'
import type { RequestMetrics } from '../metrics/requests.ts'
import { metricsTable } from '../metrics/table.ts'
import { planTable } from '../plan/table.ts'
import { Counts } from '../queue/counts.ts'
import { queueTable } from '../queue/table.ts'
import { refusalStatuses } from '../refusals.ts'
import type { Api } from '../route.ts'
import type { Companion } from '../serving.ts'
import { covenApi } from '../tree/api.ts'
import type { Workshop } from '../tree/workshop.ts'
import { type Model, models, serverTable } from './server-table.ts'

/** What the API is built from. */
interface Parts {
  readonly store: Store
  /** The kind of store, as its URL says it. */
  readonly storeKind: string
  readonly version?: string | undefined
  readonly monitor?: { readonly checkIntervalMs?: number } | undefined
  readonly workshop: Workshop
  readonly requests: RequestMetrics
  readonly log: (line: string) => void
}

/** The tables of all models, the tree's as they are, and what must run beside them. */
export function holdfastApi(parts: Parts): { api: Api; companions: readonly Companion[] } {
  const { store, storeKind, version = '0.0.0', workshop, requests, log } = parts
  const list = new TaskList(store, { onWarning: log })
  const plans = new Plans(store, { onWarning: log })
  const jobs = new TaskManager(store, { onWarning: log })
  const queue = new Queue(store, { onWarning: log })
  const monitor = new Monitor(store, {
    onWarning: log,
    onExpired: (ids) => log(`Queue: ${ids.length} expired leases ended (${namedIds(ids)}).`),
    ...parts.monitor,
  })
  const counts = new Counts(queue)
  const following = { list, plan: plans, jobs, tree: workshop.tree, queue } satisfies Record<
    Model,
    unknown
  >
  const hub = new ChangesHub(
    Object.fromEntries(
      Object.entries(following).map(([name, model]) => [name, (signal) => model.changes(signal)]),
    ),
    log,
  )
  const tree = covenApi({ ...workshop, version })
  const api: Api = {
    title: 'Holdfast',
    about:
      'Tasks of five kinds on one store: a list, plans, jobs, a tree of work, and a queue. Errors are `{"error", "code", "details"}`; go by the code. In the tree, say who you are in the header `X-Agent-ID`. Agents find the Model Context Protocol at `/mcp`.',
    version,
    tables: [
      serverTable({ store, storeKind, version }),
      changesTable(hub, models),
      listTable(list),
      planTable(plans),
      jobsTable(jobs),
      queueTable(queue, counts),
      ...tree.tables,
      metricsTable({ requests, hub, counts, monitor }),
    ],
    statuses: { ...refusalStatuses, ...tree.statuses },
    explain: tree.explain,
  }
  return { api, companions: [hub, companionOf(jobs, queue), monitored(monitor)] }
}

/** Closes jobs and queue at the end. */
const companionOf = (jobs: TaskManager, queue: Queue): Companion => ({
  start: async () => {},
  [Symbol.asyncDispose]: async () => {
    await jobs.close()
    await queue.close()
  },
})

/** Takes back what dead workers left; any number of these may run. */
const monitored = (monitor: Monitor): Companion => ({
  start: async () => monitor.start(),
  [Symbol.asyncDispose]: () => monitor.stop(),
})
