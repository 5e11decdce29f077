import type { WorkerStatus } from '../../queue/internal.ts'
import { oneLine } from '../../terminal/index.ts'
import type { Command } from '../program/command.ts'
import { columnWidth, fittedRows, fittedTo, measureFor } from '../program/display-width.ts'
import { withModel } from '../program/model.ts'
import { listMax, maxOf, pageExclusive, pageOptions } from '../program/option-value.ts'
import { healthThresholdOf, healthThresholdOption } from './monitor.ts'
import { library, queueModel } from './queue.ts'
import { inSeconds, timeOfDay } from './row.ts'

const workersRm: Command = {
  name: 'rm',
  about: 'remove workers that died',
  details:
    'Removes the registration only: a monitor takes the tasks of a dead worker back when their leases expire. Without this a worker disappears after 7 days of silence. A worker that is alive registers again within 15 seconds.',
  arguments: [{ name: 'ID', about: 'the whole id of a worker', isMany: true }],
  examples: ['qo workers rm worker-1'],
  async run(context) {
    const { args, out } = context
    const { checkWorkerId } = await library()
    const ids = args.words.map(checkWorkerId)
    const removed = await withModel(context, queueModel, (queue) => queue.removeWorkers(ids))
    out.confirm({
      kind: 'worker.list',
      data: removed,
      lines: removed.map(({ worker_id }) => `Worker removed: ${oneLine(worker_id)}`),
    })
    const active = removed.filter(({ status }) => status === 'active').length
    if (active > 0)
      out.note(
        `${active} of them sent a heartbeat within the last minute. If alive, they will register again.`,
      )
  },
}

export const workers: Command = {
  name: 'workers',
  about: 'list the workers that are registered; "qo workers rm" removes dead ones',
  details:
    'A worker is stale when it has not been heard of for longer than the threshold, and disappears after 7 days.',
  options: { ...healthThresholdOption, ...pageOptions(listMax) },
  exclusive: pageExclusive,
  commands: [workersRm],
  examples: ['qo workers', 'qo workers --worker-health-threshold 5m --json'],
  async run(context) {
    const { out } = context
    const limit = maxOf(context)
    const thresholdMs = await healthThresholdOf(context)
    const all = await withModel(context, queueModel, (queue) =>
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

async function workerRows(
  all: readonly WorkerStatus[],
  columns: number | null,
): Promise<readonly string[]> {
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
  return fittedRows(rows, columns)
}
