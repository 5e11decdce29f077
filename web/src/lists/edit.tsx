import { useApi } from '../context.ts'
import { Field, FormDialog, type Sent } from '../show/form.tsx'
import type { Trait } from '../show/trait.ts'
import type { ListTask } from '../source/api.ts'

/** Tags have no spaces in them; commas are what people type. */
export const tagsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')

const traits: readonly Trait<ListTask>[] = [
  { name: 'text', label: 'Text', of: ({ text }) => text },
  {
    name: 'tags',
    label: 'Tags',
    of: ({ tags }) => tags.join(', '),
    normal: (typed) => tagsOf(typed).join(', '),
  },
  { name: 'done', label: 'Done', of: ({ done }) => (done ? 'yes' : 'no') },
]

/** Text and tags of a task. What was changed is saved, if the task is still what the form shows. */
export function EditForm({
  task,
  ...ends
}: {
  task: ListTask
  onDone: (after: ListTask) => void
  onClose: () => void
}) {
  const api = useApi()
  const run = async ({ typed, base, isChanged }: Sent<ListTask>) => {
    const changes = {
      ...(isChanged('text') ? { text: typed('text') } : {}),
      ...(isChanged('tags') ? { tags: tagsOf(typed('tags')) } : {}),
    }
    return Object.keys(changes).length === 0 ? base : api.editListTask(base, changes)
  }
  return (
    <FormDialog
      title="Edit the task"
      button="Save"
      subject={{ seen: task, read: () => api.listTask(task.id), traits }}
      run={run}
      {...ends}
    >
      <Field name="Text">
        <textarea name="text" rows={3} required maxLength={20_000} defaultValue={task.text} />
      </Field>
      <Field name="Tags, separated by commas">
        <input name="tags" defaultValue={task.tags.join(', ')} spellcheck={false} />
      </Field>
    </FormDialog>
  )
}
