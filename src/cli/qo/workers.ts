import type { WorkerStatus } from '../../queue/internal.ts'
import type { Command } from '../program/command.ts'
import { columnWidth, fittedTo, measureFor } from '../program/display-width.ts'
import { oneLine } from '../program/printable.ts'
import { pageExclusive, pageLimitOf, pageOptions } from './page.ts'
import { withQueue } from './queue.ts'
import { inSeconds, timeOfDay } from './row.ts'
import { healthThresholdOf, healthThresholdOption } from './worker/monitor-options.ts'
import { workersRm } from './workers-rm.ts'

export const workers: Command = {
  name: 'workers',
  about: 'list the workers that are registered; "qo workers rm" removes dead ones',
  details:
    'A worker is stale when it has not been heard of for longer than the threshold, and disappears after 7 days.',
  options: { ...healthThresholdOption, ...pageOptions },
  exclusive: pageExclusive,
  commands: [workersRm],
  examples: ['qo workers', 'qo workers --worker-health-threshold 5m --json'],
  async run(context) {
    const { out } = context
    const limit = pageLimitOf(context)
    const thresholdMs = await healthThresholdOf(context)
    const all = await withQueue(context, (queue) =>
      queue.workers(thresholdMs === undefined ? {} : { thresholdMs }),
    )
    const shown = all.slice(0, limit)
    out.answer({
      kind: 'worker.list',
      data: shown,
      total: all.length,
      lines: out.isJson ? [] : await workerRows(shown, await out.columns()),
    })
    if (all.length === 0 && (await out.isForEyes())) out.note('No worker is registered.')
  },
}

/** On a terminal a long name does not push everything else out of sight. */
const nameColumnsMax = 18

async function workerRows(all: readonly WorkerStatus[], columns: number | null): Promise<string[]> {
  const whole = all.map(({ worker_id }) => oneLine(worker_id))
  const measure = await measureFor(whole)
  const names =
    columns === null ? whole : whole.map((name) => fittedTo(nameColumnsMax, name, measure))
  const width = columnWidth(names.map(measure))
  const rows = all.map((worker, at) => {
    const name = names[at] as string
    const { status, last_heartbeat, tasks_completed, tasks_failed, running, task_types } = worker
    const cells = [
      name + ' '.repeat(width - measure(name)),
      status.padEnd('active'.length),
      `${running.length} running`,
      `${tasks_completed} completed`,
      `${tasks_failed} failed`,
      `heard of ${columns === null ? inSeconds(last_heartbeat) : timeOfDay(last_heartbeat)}`,
      task_types.map(oneLine).join(','),
    ]
    return cells.join('  ').trimEnd()
  })
  if (columns === null) return rows
  const measureRow = await measureFor(rows)
  return rows.map((row) => fittedTo(columns, row, measureRow))
}
