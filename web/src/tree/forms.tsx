import { operations } from '../../../src/tree/operations.ts'
import { taskTypes } from '../../../src/tree/task.ts'
import { useApi } from '../context.ts'
import { Field, FormDialog, type Sent, type Typed, wordsOf } from '../show/form.tsx'
import type { NewTreeTask, SeenTreeTask, TreeTask } from '../source/api.ts'
import { overtaken } from './moves.ts'
import { parentOf, subjectOf } from './traits.ts'

const priorities = ['P0, most urgent', 'P1', 'P2', 'P3', 'P4']

interface Ends<R> {
  readonly onDone: (result: R) => void
  readonly onClose: () => void
}

/** A new root. */
export function NewTask(ends: Ends<TreeTask>) {
  const api = useApi()
  const run = ({ typed }: Sent<undefined>) => api.createTreeTask(newTask(typed, null))
  return (
    <FormDialog title="New task" button="Create" run={run} {...ends}>
      <NewFields />
    </FormDialog>
  )
}

/** A new part of a task, if that still is what was shown when the form was opened. */
export function NewPart({ parent, ...ends }: Ends<TreeTask> & { parent: SeenTreeTask }) {
  const api = useApi()
  const run = async ({ typed, base }: Sent<SeenTreeTask>) => {
    const now = await api.treeTask(base.task.id)
    if (now.state !== base.state) throw overtaken(base.task, now.task)
    return api.createTreeTask(newTask(typed, base.task))
  }
  return (
    <FormDialog
      title="Add a part"
      button="Create"
      subject={parentOf(api, parent)}
      run={run}
      {...ends}
    >
      <NewFields />
    </FormDialog>
  )
}

const newTask = (typed: Typed, parent: TreeTask | null): NewTreeTask => ({
  ...fieldsOf(typed),
  parent_id: parent?.id ?? null,
  tags: wordsOf(typed('tags')),
})

const NewFields = () => (
  <>
    <Fields task={null} />
    <Field name="Tags, separated by commas">
      <input name="tags" spellcheck={false} />
    </Field>
  </>
)

/** Saves the fields that were changed, if the task is still what the form shows. */
export function EditTask({ seen, ...ends }: Ends<SeenTreeTask> & { seen: SeenTreeTask }) {
  const api = useApi()
  const run = async ({ typed, base, isChanged }: Sent<SeenTreeTask>) => {
    const changed = Object.entries(fieldsOf(typed)).filter(([name]) => isChanged(name))
    return changed.length === 0
      ? base
      : api.treeVerb(base, operations.tasks.update, Object.fromEntries(changed))
  }
  return (
    <FormDialog
      title="Edit the task"
      button="Save"
      subject={subjectOf(api, seen)}
      run={run}
      {...ends}
    >
      <Fields task={seen.task} />
    </FormDialog>
  )
}

const fieldsOf = (typed: Typed): Pick<NewTreeTask, 'title' | 'body' | 'type' | 'priority'> => ({
  title: typed('title'),
  body: typed('body') || null,
  type: typed('type') as TreeTask['type'],
  priority: Number(typed('priority')),
})

const Fields = ({ task }: { task: TreeTask | null }) => (
  <>
    <Field name="Title">
      <input name="title" required maxLength={500} defaultValue={task?.title ?? ''} />
    </Field>
    <div class="pair">
      <Field name="Type">
        <select name="type">
          {taskTypes.map((type) => (
            <option key={type} selected={type === (task?.type ?? 'task')}>
              {type}
            </option>
          ))}
        </select>
      </Field>
      <Field name="Priority">
        <select name="priority">
          {priorities.map((title, at) => (
            <option key={title} value={String(at)} selected={at === (task?.priority ?? 2)}>
              {title}
            </option>
          ))}
        </select>
      </Field>
    </div>
    <Field name="Text">
      <textarea name="body" rows={4} defaultValue={task?.body ?? ''} />
    </Field>
  </>
)
