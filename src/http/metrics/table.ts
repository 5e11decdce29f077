import type { Monitor, Stats } from '../../queue/internal.ts'
import type { ChangesHub } from '../changes/hub.ts'
import type { Counts } from '../queue/counts.ts'
import type { Route, Table } from '../route.ts'
import type { RequestMetrics } from './requests.ts'
import { contentType, type Family, textOf } from './text.ts'

/** What is measured. */
interface Measured {
  readonly requests: RequestMetrics
  readonly hub: ChangesHub
  readonly counts: Counts
  readonly monitor: Monitor
}

/** For whoever watches the server. */
export const metricsTable = (measured: Measured): Table => ({
  name: 'Metrics',
  about: 'What this server does, in the form that Prometheus reads.',
  routes: [metrics(measured)],
})

const metrics = (measured: Measured): Route => ({
  method: 'GET',
  path: '/metrics',
  role: 'read',
  summary: 'Read the metrics',
  details: 'Requests of this server, and the tasks of the queue by status and type.',
  outcomes: {
    200: { about: 'The metrics.', type: 'text/plain', schema: { type: 'string' } },
  },
  errors: [],
  handle: async () => ({
    status: 200,
    text: await rendered(measured),
    headers: { 'Content-Type': contentType },
  }),
})

async function rendered({ requests, hub, counts, monitor }: Measured): Promise<string> {
  // A store that is away is no reason to say nothing of the server; that it is missing tells it.
  const stats = await counts.recent().catch(() => null)
  const families = [
    ...requests.families(),
    gauge('holdfast_changes_clients', 'Clients that follow the changes.', hub.clients),
    gauge('process_resident_memory_bytes', 'Memory of this process.', process.memoryUsage.rss()),
    gauge(
      'process_start_time_seconds',
      'When this process began.',
      Math.round(Date.now() / 1000 - process.uptime()),
    ),
    gauge('holdfast_store_up', 'Whether the store answered this time.', stats ? 1 : 0),
    ...(stats ? [tasksOf(stats)] : []),
  ]
  return textOf(families) + monitor.metrics.render()
}

const gauge = (name: string, help: string, value: number): Family => ({
  name,
  help,
  type: 'gauge',
  samples: [{ value }],
})

const tasksOf = ({ by_type }: Stats): Family => ({
  name: 'holdfast_queue_tasks',
  help: 'Tasks of the queue; may be a few seconds old.',
  type: 'gauge',
  samples: Object.entries(by_type).flatMap(([type, byStatus]) =>
    Object.entries(byStatus).map(([status, value]) => ({ labels: { type, status }, value })),
  ),
})
