import { useState } from 'preact/hooks'
import { needsReason, type Status, statuses } from '../../../src/plan/status.ts'
import { useApi } from '../context.ts'
import { Field, FormDialog, type Sent, type Typed } from '../show/form.tsx'
import { LongText } from '../show/text.tsx'
import type { Trait } from '../show/trait.ts'
import type { Goal, PlanTask } from '../source/api.ts'
import { Failure } from '../source/failure.ts'

export interface FormProps {
  readonly sid: string
  readonly onDone: () => void
  readonly onClose: () => void
}

const goalTraits: readonly Trait<Goal | null>[] = [
  { name: 'title', label: 'Title', of: (goal) => goal?.title ?? '' },
  { name: 'description', label: 'Description', of: (goal) => goal?.description ?? '' },
]

/** Sets the goal, or changes the one that there is: that needs a reason. */
export function GoalForm({ sid, goal, ...ends }: FormProps & { goal: Goal | null }) {
  const api = useApi()
  const read = async () => (await api.plan(sid)).goal
  const run = ({ typed, base, isChanged }: Sent<Goal | null>) => {
    if (base === null) return api.setPlanGoal(sid, wordsOf(typed))
    const changed = Object.entries(wordsOf(typed)).filter(([name]) => isChanged(name))
    return api.editPlan(sid, base, { ...Object.fromEntries(changed), reason: typed('reason') })
  }
  return (
    <FormDialog
      title={goal ? 'Edit the goal' : 'Set the goal'}
      button="Save"
      subject={{ seen: goal, read, traits: goalTraits }}
      run={run}
      {...ends}
    >
      {(base: Goal | null) => (
        <>
          <Words goal={goal} />
          {base !== null && <Reason isRequired />}
        </>
      )}
    </FormDialog>
  )
}

export function AddTask({ sid, ...ends }: FormProps) {
  const api = useApi()
  const run = ({ typed }: Sent<undefined>) => api.addPlanTask(sid, wordsOf(typed))
  return (
    <FormDialog title="Add a task" button="Add" run={run} {...ends}>
      <Words goal={null} />
    </FormDialog>
  )
}

const nameOf = (status: string): string => status.replaceAll('_', ' ')

const taskTraits: readonly Trait<PlanTask>[] = [
  { name: 'status', label: 'Status', of: ({ status }) => status, shown: nameOf },
  // By names that no control of the form has.
  { name: 'task_title', label: 'Title', of: ({ title }) => title },
  { name: 'task_description', label: 'Description', of: ({ description }) => description },
]

/** The status of a task, if the task is still what the form shows; failed and cancelled need a reason. */
export function StatusForm({ sid, task, ...ends }: FormProps & { task: PlanTask }) {
  const api = useApi()
  const [status, setStatus] = useState<Status>(task.status)
  const read = async () => {
    const { tasks } = await api.plan(sid)
    const now = tasks.find(({ id }) => id === task.id)
    if (now) return now
    throw new Failure('missing', 'The plan has no such task.', 'Go back to the plan.')
  }
  const run = ({ typed, base }: Sent<PlanTask>) => {
    const reason = typed('reason')
    const chosen = typed('status') as Status
    return api.editPlan(sid, base, { status: chosen, ...(reason === '' ? {} : { reason }) })
  }
  return (
    <FormDialog
      title="Set the status"
      button="Save"
      subject={{ seen: task, read, traits: taskTraits }}
      run={run}
      {...ends}
    >
      <p>
        <LongText text={task.title} max={200} />
      </p>
      <Field name="Status">
        <select
          name="status"
          onChange={({ currentTarget }) => setStatus(currentTarget.value as Status)}
        >
          {statuses.map((each) => (
            <option key={each} value={each} selected={each === task.status}>
              {nameOf(each)}
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
  <Field name={isRequired ? 'Reason' : 'Reason (optional)'}>
    <input name="reason" required={isRequired} />
  </Field>
)
