import { inlineBytesMax, type Task, type TaskVersion } from '../../queue/internal.ts'
import { isShowable, listedBytesMax } from '../content.ts'

type ShownTask = Task & { readonly input_omitted?: true; readonly output_omitted?: true }

/** A task of a list. */
export const listed = (task: Task): ShownTask => omitting(task, listedBytesMax)

/** A task by itself, with all that it holds, unless nobody could read it. */
export const whole = (task: Task): ShownTask => omitting(task, Number.POSITIVE_INFINITY)

/** A task as it was; what lies elsewhere, because it is large, is left out. */
export const shownVersion = ({ version, at, task }: TaskVersion) => ({
  version,
  at,
  task: omitting(task, inlineBytesMax),
})

function omitting(task: Task, max: number): ShownTask {
  const isInputShown = isKept(task.input, task.input_ref) && isShowable(task.input, max)
  const isOutputShown = isKept(task.output, task.output_ref) && isShowable(task.output, max)
  return {
    ...task,
    ...(isInputShown ? {} : { input: null, input_omitted: true }),
    ...(isOutputShown ? {} : { output: null, output_omitted: true }),
  }
}

/** What lies elsewhere is null in the task, unless it was fetched. */
const isKept = (content: unknown, ref: string | null): boolean => ref === null || content !== null
