import type { Task } from '../../queue/internal.ts'
import type { Command } from '../program/command.ts'
import { fieldLines } from '../program/field-lines.ts'
import { checkedPrefix, idArgument, withQueue } from './queue.ts'

export const status: Command = {
  name: 'status',
  about: 'show a task with all that is known of it',
  details: 'A large input or output is shown only with --full.',
  arguments: [idArgument],
  options: { full: { about: 'show input and output whole, however large' } },
  examples: ['qo status 7019a8c3', 'qo status 7019a8c3 --full --json'],
  async run(context) {
    const full = context.args.has('full')
    const prefix = await checkedPrefix(context)
    const task = await withQueue(context, async (queue) =>
      queue.get(await queue.resolve(prefix), { full }),
    )
    context.out.answer({ kind: 'task', data: task, lines: linesOf(task, full) })
  },
}

/** In the order in which a person asks; what may be long comes last. */
const fields = [
  'id',
  'task_type',
  'status',
  'cancel_requested',
  'archived_from',
  'attempt',
  'retry_count',
  'max_retries',
  'timeout_seconds',
  'available_at',
  'worker_id',
  'lease_id',
  'lease_expires_at',
  'created_at',
  'updated_at',
  'completed_at',
  'idempotency_key',
  'last_error',
] as const satisfies readonly (keyof Task)[]

/** What is empty is left out. */
function linesOf(task: Task, isFull: boolean): string[] {
  const known = fields.flatMap((name) => {
    const value = task[name]
    return value === null || value === false ? [] : fieldLines(name, String(value))
  })
  const { initial_interval_ms, max_interval_ms, multiplier, jitter_percent } = task.retry_policy
  const policy = `${initial_interval_ms} ms × ${multiplier}, at most ${max_interval_ms} ms, ± ${Math.round(jitter_percent * 100)} %`
  return [
    ...known,
    ...fieldLines('retry_policy', policy),
    ...contentLines('input', task.input, isFull ? null : task.input_ref),
    ...(task.status === 'completed' || task.output !== null || task.output_ref !== null
      ? contentLines('output', task.output, isFull ? null : task.output_ref)
      : []),
  ]
}

const contentLines = (name: string, value: unknown, ref: string | null): string[] =>
  fieldLines(
    name,
    ref === null ? JSON.stringify(value) : `large; it lies at ${ref}, and --full shows it`,
  )
