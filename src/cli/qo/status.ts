import type { Task, TaskVersion } from '../../queue/internal.ts'
import type { Command } from '../program/command.ts'
import { fittedRows } from '../program/display-width.ts'
import { listMax, maxOf, pageExclusive, pageOptions } from '../program/option-value.ts'
import { fieldLines } from '../program/text.ts'
import { idArgument, withTask } from './queue.ts'
import { remarkOf } from './row.ts'

export const status: Command = {
  name: 'status',
  about: 'show a task with all that is known of it',
  details: 'A large input or output is shown only with --full.',
  arguments: [idArgument],
  options: { full: { about: 'show input and output whole, however large' } },
  examples: ['qo status 7019a8c3', 'qo status 7019a8c3 --full --json'],
  async run(context) {
    const full = context.args.has('full')
    const task = await withTask(context, (queue, id) => queue.get(id, { full }))
    context.out.answer({ kind: 'task', data: task, lines: taskLines(task, full) })
  },
}

/** In the order in which a person asks; what may be long comes last. */
const shownFields = [
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

/** Omits what is empty. */
function taskLines(task: Task, isFull: boolean): string[] {
  const known = shownFields.flatMap((name) => {
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

export const history: Command = {
  name: 'history',
  about: 'show the states that a task has had, the oldest first',
  details: 'Of more than are shown these are the last.',
  arguments: [idArgument],
  options: pageOptions(listMax),
  exclusive: pageExclusive,
  examples: ['qo history 7019a8c3', 'qo history 7019a8c3 --all --json'],
  async run(context) {
    const { out } = context
    const limit = maxOf(context)
    const versions = await withTask(context, (queue, id) => queue.history(id))
    const shown = versions.slice(-limit)
    out.answer({
      kind: 'history',
      data: shown,
      total: versions.length,
      lines: await fittedRows(versionLines(shown), await out.columns()),
    })
  },
}

function versionLines(versions: readonly TaskVersion[]): string[] {
  const digits = String(versions.at(-1)?.version ?? 0).length
  return versions.map(({ version, at, task }) => {
    const attempt = task.attempt === 0 ? '' : `attempt ${task.attempt}`
    const rest = [attempt, remarkOf(task)].filter((text) => text !== '').join(', ')
    return `${String(version).padStart(digits)}  ${at}  ${task.status.padEnd(9)}  ${rest}`.trimEnd()
  })
}
