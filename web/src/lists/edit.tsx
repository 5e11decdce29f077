import { useState } from 'preact/hooks'
import { useApi } from '../context.ts'
import { Field, FormDialog, type Typed } from '../show/form.tsx'
import type { ListTask } from '../source/api.ts'

/** Tags have no spaces in them; commas are what people type. */
export const tagsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')

/** Text and tags of a task. What is saved holds for the task as it was when the form was opened. */
export function EditForm({
  task,
  onDone,
  onClose,
}: {
  task: ListTask
  onDone: () => void
  onClose: () => void
}) {
  const api = useApi()
  const [seen] = useState(task)
  const run = (typed: Typed) =>
    api.editListTask(seen, { text: typed('text'), tags: tagsOf(typed('tags')) })
  return (
    <FormDialog title="Edit the task" button="Save" run={run} onDone={onDone} onClose={onClose}>
      <Field name="Text">
        <textarea name="text" rows={3} required maxLength={20_000} defaultValue={seen.text} />
      </Field>
      <Field name="Tags, with commas between">
        <input name="tags" defaultValue={seen.tags.join(', ')} spellcheck={false} />
      </Field>
    </FormDialog>
  )
}
