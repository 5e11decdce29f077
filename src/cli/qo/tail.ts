import type { Task, TaskStatus } from '../../queue/internal.ts'
import { oneLine, printableJson } from '../../terminal/index.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { fittedTo, measureFor } from '../program/display-width.ts'
import { ShutdownSignal } from '../program/io.ts'
import { withModel } from '../program/model.ts'
import { wholeOf } from '../program/option-value.ts'
import { library, queueModel, statuses } from './queue.ts'
import { remarkOf, shortId, timeOfDay } from './row.ts'

export const tail: Command = {
  name: 'tail',
  about: 'follow what happens to tasks, until Ctrl-C',
  details:
    'A line for each state that a task comes to; with --json an envelope a line. On S3, where it is looked for every few seconds, states that did not last are left out.',
  options: {
    status: { value: 'STATUS', about: 'only tasks that come to this status', choices: statuses },
    type: { short: 't', value: 'TYPE', about: 'only tasks of this type' },
    limit: { value: 'N', about: 'end after N lines' },
  },
  examples: ['qo tail', 'qo tail --status failed --json'],
  async run(context) {
    const { checkType } = await library()
    const given = context.args.value('type')
    const type = given === undefined ? undefined : checkType(given)
    const status = context.args.value('status') as TaskStatus | undefined
    const limit = wholeOf(context, { option: 'limit' }, { min: 1, max: 1_000_000 })
    const stop = new AbortController()
    using shutdown = new ShutdownSignal()
    void shutdown.received.then(() => stop.abort())
    const isWanted = (task: Task) =>
      (type === undefined || task.task_type === type) &&
      (status === undefined || task.status === status)
    await withModel(context, queueModel, async (queue) => {
      let count = 0
      const changes = new StateChanges()
      context.out.note('Following; Ctrl-C ends it.')
      for await (const task of queue.follow({ signal: stop.signal })) {
        if (task === null) context.out.warn('Some changes may have been missed.')
        else if (changes.isNew(task) && isWanted(task)) {
          await showTask(context, task)
          if (++count === limit) stop.abort()
        }
      }
    })
  },
}

const rememberedMax = 10_000

/** Knows what was told of tasks: where lease or time are all that changed, that is no changes. */
class StateChanges {
  readonly #lastStates = new Map<string, string>()

  isNew({ id, status, attempt, retry_count, cancel_requested }: Task): boolean {
    const state = [status, attempt, retry_count, cancel_requested].join()
    if (this.#lastStates.get(id) === state) return false
    this.#lastStates.delete(id)
    this.#lastStates.set(id, state)
    if (this.#lastStates.size > rememberedMax)
      this.#lastStates.delete(this.#lastStates.keys().next().value as string)
    return true
  }
}

async function showTask({ out, io }: Context, task: Task): Promise<void> {
  const { updated_at: at, status, task_type, id, attempt } = task
  if (out.isJson) {
    io.stdout.write(`${printableJson({ v: 1, kind: 'event', data: { at, task } })}\n`)
    return
  }
  const words = [attempt === 0 ? '' : `attempt ${attempt}`, remarkOf(task)]
  const rest = words.filter((text) => text !== '').join(', ')
  const columns = await out.columns()
  const [time, name] = columns === null ? [at, id] : [timeOfDay(at), shortId(id)]
  const line = `${time}  ${status.padEnd(9)}  ${oneLine(task_type)}  ${name}  ${rest}`.trimEnd()
  out.say(columns === null ? line : fittedTo(columns, line, await measureFor([line])))
}
