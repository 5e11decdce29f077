import type { Changed } from '../../queue/internal.ts'
import { verb } from './verb.ts'

export const cancel = verb({
  name: 'cancel',
  about: 'end pending tasks, and ask for the end of running ones',
  details:
    'A handler sees it as an abort, a command as SIGTERM and after 5 seconds SIGKILL; its task ends cancelled, unless it had finished.',
  examples: ['qo cancel 7019a8c3'],
  act: (queue, id) => queue.cancel(id),
  line,
})

function line({ task, isChanged }: Changed): string {
  if (task.status === 'running')
    return `Cancel ${isChanged ? 'requested' : 'already requested'}: ${task.id}`
  return `Task ${isChanged ? 'cancelled' : 'already cancelled'}: ${task.id}`
}
