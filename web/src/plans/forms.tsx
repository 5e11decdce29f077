import { useState } from 'preact/hooks'
import { needsReason, type Status, statuses } from '../../../src/plan/status.ts'
import { useApi } from '../context.ts'
import { Field, FormDialog, type Typed } from '../show/form.tsx'
import { LongText } from '../show/text.tsx'
import type { Goal, PlanTask } from '../source/api.ts'

interface FormProps {
  readonly sid: string
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Sets the goal, or changes the one that was there when the form was opened. */
export function GoalForm({ sid, goal: given, ...more }: FormProps & { goal: Goal | null }) {
  const api = useApi()
  const [goal] = useState(given)
  const run = (typed: Typed) =>
    goal
      ? api.editPlan(sid, goal, { ...wordsOf(typed), reason: typed('reason') })
      : api.setPlanGoal(sid, wordsOf(typed))
  const title = goal ? 'Edit the goal' : 'Set the goal'
  return (
    <FormDialog title={title} button="Save" run={run} {...more}>
      <Words goal={goal} />
      {goal && <Reason isRequired />}
    </FormDialog>
  )
}

export function AddTask({ sid, ...more }: FormProps) {
  const api = useApi()
  const run = (typed: Typed) => api.addPlanTask(sid, wordsOf(typed))
  return (
    <FormDialog title="Add a task" button="Add" run={run} {...more}>
      <Words goal={null} />
    </FormDialog>
  )
}

/** How far a task is, if that is still what it was when the form was opened; that it failed or was cancelled needs a reason. */
export function StatusForm({ sid, task, ...more }: FormProps & { task: PlanTask }) {
  const api = useApi()
  const [status, setStatus] = useState<Status>(task.status)
  const run = (typed: Typed) => {
    const reason = typed('reason')
    return api.editPlan(sid, task, { status, ...(reason === '' ? {} : { reason }) })
  }
  return (
    <FormDialog title="Set the status" button="Save" run={run} {...more}>
      <p>
        <LongText text={task.title} max={200} />
      </p>
      <Field name="Status">
        <select onChange={({ currentTarget }) => setStatus(currentTarget.value as Status)}>
          {statuses.map((each) => (
            <option key={each} value={each} selected={each === status}>
              {each.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </Field>
      <Reason isRequired={needsReason(status)} />
    </FormDialog>
  )
}

const wordsOf = (typed: Typed) => ({ title: typed('title'), description: typed('description') })

const Words = ({ goal }: { goal: Goal | null }) => (
  <>
    <Field name="Title">
      <input name="title" required maxLength={500} defaultValue={goal?.title ?? ''} />
    </Field>
    <Field name="Description">
      <textarea name="description" rows={4} defaultValue={goal?.description ?? ''} />
    </Field>
  </>
)

const Reason = ({ isRequired }: { isRequired: boolean }) => (
  <Field name={isRequired ? 'Reason' : 'Reason, if there is one to tell'}>
    <input name="reason" required={isRequired} />
  </Field>
)
