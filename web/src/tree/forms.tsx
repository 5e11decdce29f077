import { useState } from 'preact/hooks'
import { taskTypes } from '../../../src/tree/task.ts'
import { useApi } from '../context.ts'
import { Field, FormDialog, type Typed, wordsOf } from '../show/form.tsx'
import type { NewTreeTask, SeenTreeTask, TreeTask } from '../source/api.ts'

const priorities = ['P0, the most urgent', 'P1', 'P2', 'P3', 'P4']

interface FormProps {
  readonly onDone: () => void
  readonly onClose: () => void
}

/** A new task: a root, or a part of another. */
export function NewTask({ parent, ...more }: FormProps & { parent: TreeTask | null }) {
  const api = useApi()
  const run = (typed: Typed) =>
    api.createTreeTask({
      ...fieldsOf(typed),
      parent_id: parent?.id ?? null,
      tags: wordsOf(typed('tags')),
    })
  return (
    <FormDialog title={parent ? 'Add a part' : 'New task'} button="Create" run={run} {...more}>
      <Fields task={null} />
      <Field name="Tags, with commas between">
        <input name="tags" spellcheck={false} />
      </Field>
    </FormDialog>
  )
}

/** What is saved holds for the task as it was when the form was opened. */
export function EditTask({ seen: given, ...more }: FormProps & { seen: SeenTreeTask }) {
  const api = useApi()
  const [seen] = useState(given)
  const run = (typed: Typed) => api.editTreeTask(seen, fieldsOf(typed))
  return (
    <FormDialog title="Edit the task" button="Save" run={run} {...more}>
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
