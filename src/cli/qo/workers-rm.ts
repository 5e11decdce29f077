import type { Command } from '../program/command.ts'
import { oneLine } from '../program/printable.ts'
import { library, withQueue } from './queue.ts'

export const workersRm: Command = {
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
    const removed = await withQueue(context, (queue) => queue.removeWorkers(ids))
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
