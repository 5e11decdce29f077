import type { Changed, Queue } from '../../queue/internal.ts'
import type { Command } from '../program/command.ts'
import { answerEach, changeEach, withModel } from '../program/model.ts'
import { Progress } from '../program/output.ts'
import { checkedPrefixes, idsArgument, queueModel, resolveAll } from './queue.ts'

/** A command that does one thing to several tasks, and says so in a line each. */
interface QueueVerb extends Omit<Command, 'run' | 'commands' | 'arguments'> {
  readonly act: (queue: Queue, id: string) => Promise<Changed>
  /** What is said of each task that it was done to, or of which it was so already. */
  readonly line: (changed: Changed) => string
}

const verbs: readonly QueueVerb[] = [
  {
    name: 'replay',
    about: 'run failed or cancelled tasks again, with all their retries',
    examples: [
      'qo replay 7019a8c3',
      "qo list --status failed --all --json | jq -r '.data[].id' | xargs qo replay",
    ],
    act: (queue, id) => queue.replay(id),
    line: ({ task }) => `Task replayed: ${task.id}`,
  },
  {
    name: 'archive',
    about: 'archive completed, failed or cancelled tasks',
    details: 'They stay where they are, with their history, and are left out of lists.',
    examples: ['qo archive 7019a8c3 2019a8c4'],
    act: (queue, id) => queue.archive(id),
    line: ({ task, isChanged }) =>
      isChanged ? `Task archived: ${task.id}` : `Task already archived: ${task.id}`,
  },
  {
    name: 'unarchive',
    about: 'bring archived tasks back to the status they had',
    examples: ['qo unarchive 7019a8c3'],
    act: (queue, id) => queue.unarchive(id),
    line: ({ task }) => `Task unarchived: ${task.id} (status: ${task.status})`,
  },
  {
    name: 'cancel',
    about: 'end pending tasks, and ask for the end of running ones',
    details:
      'A handler sees it as an abort, a command as SIGTERM and after 5 seconds SIGKILL; its task ends cancelled, unless it had finished.',
    examples: ['qo cancel 7019a8c3'],
    act: (queue, id) => queue.cancel(id),
    line: ({ task, isChanged }) =>
      task.status === 'running'
        ? `Cancel ${isChanged ? 'requested' : 'already requested'}: ${task.id}`
        : `Task ${isChanged ? 'cancelled' : 'already cancelled'}: ${task.id}`,
  },
]

const queueVerb = ({ act, line, ...command }: QueueVerb): Command => ({
  ...command,
  arguments: [idsArgument],
  async run(context) {
    const prefixes = await checkedPrefixes(context.args.words)
    const { done, failures } = await withModel(context, queueModel, async (queue) => {
      const ids = await resolveAll(queue, prefixes)
      using progress = await Progress.of(context, 'Changing')
      let count = 0
      return await changeEach(ids, (id) => {
        progress.at(++count, ids.length)
        return act(queue, id)
      })
    })
    const data = done.map(({ task }) => task)
    await answerEach(context, { kind: 'task.list', data, lines: done.map(line) }, failures)
  },
})

export const taskVerbs: readonly Command[] = verbs.map(queueVerb)
