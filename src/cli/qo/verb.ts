import type { Changed, Queue } from '../../queue/internal.ts'
import type { Command } from '../program/command.ts'
import { answerEach, changeEach } from '../program/each.ts'
import { Progress } from '../program/progress.ts'
import { checkedPrefixes, idsArgument, resolveAll, withQueue } from './queue.ts'

export interface Verb extends Omit<Command, 'run' | 'commands' | 'arguments'> {
  readonly act: (queue: Queue, id: string) => Promise<Changed>
  /** What is said of each task that it was done to, or of which it was so already. */
  readonly line: (changed: Changed) => string
}

/** A command that does one thing to several tasks, and says so in a line each. */
export const verb = ({ act, line, ...command }: Verb): Command => ({
  ...command,
  arguments: [idsArgument],
  async run(context) {
    const prefixes = await checkedPrefixes(context.args.words)
    const { done, failures } = await withQueue(context, async (queue) => {
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
