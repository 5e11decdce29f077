import { wordsOf } from '../show/form.tsx'
import type { Trait } from '../show/trait.ts'
import type { Api, SeenTreeTask, TreeTask } from '../source/api.ts'
import { nameOf } from './moves.ts'

const trait = (
  name: string,
  label: string,
  of: (task: TreeTask) => string,
  more: Partial<Trait<SeenTreeTask>> = {},
): Trait<SeenTreeTask> => ({ name, label, of: ({ task }) => of(task), ...more })

/** What people see of a task; the names are those of the controls in forms. */
const traits: readonly Trait<SeenTreeTask>[] = [
  trait('title', 'Title', ({ title }) => title),
  trait('status', 'Status', ({ status }) => status, { shown: nameOf }),
  trait('claimed_by', 'Claimed by', (task) => task.claimed_by ?? '', {
    shown: (agent) => agent || 'nobody',
  }),
  trait('type', 'Type', ({ type }) => type),
  trait('priority', 'Priority', ({ priority }) => String(priority), {
    shown: (priority) => `P${priority}`,
  }),
  trait('tags', 'Tags', ({ tags }) => tags.join(', '), {
    normal: (typed) => wordsOf(typed).join(', '),
  }),
  trait('parent', 'Part of', (task) => task.parent_id ?? '', {
    shown: (id) => id || 'nothing: it is a root',
  }),
  trait('body', 'Text', ({ body }) => body ?? ''),
]

/** A task as the parent of what a form creates: no control is about it. */
export const parentOf = (api: Api, seen: SeenTreeTask) => ({
  ...subjectOf(api, seen),
  traits: traits.map((each) => ({
    ...each,
    name: `parent ${each.name}`,
    label: `${each.label} of the parent`,
  })),
})

/** A task as what a form changes. */
export const subjectOf = (api: Api, seen: SeenTreeTask) => ({
  seen,
  read: () => api.treeTask(seen.task.id),
  traits,
})
