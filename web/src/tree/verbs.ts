import { operations } from '../../../src/tree/operations.ts'
import { wordsOf } from '../show/form.tsx'
import type { Api, SeenTreeTask, TreeTask, TreeVerb } from '../source/api.ts'
import { release } from './moves.ts'

/** What can be done to a task by a button of its page. */
export interface Verb {
  readonly name: string
  readonly title: string
  readonly done: string | ((after: SeenTreeTask) => string)
  /** What most people come for in that status. */
  readonly isMain?: true
  /** What is asked for first, in a control of this name. */
  readonly asks?: {
    readonly name: string
    readonly label: string
    readonly initial?: (task: TreeTask) => string
  }
  readonly isFor: (task: TreeTask) => boolean
  readonly run: (api: Api, seen: SeenTreeTask, text: string) => Promise<SeenTreeTask>
}

const { work, tags, hierarchy } = operations

const verb =
  (row: TreeVerb, given: (text: string) => object = () => ({})) =>
  (api: Api, seen: SeenTreeTask, text: string) =>
    api.treeVerb(seen, row, given(text))

/** A text that may be left out. */
const optional = (name: string) => (text: string) => (text === '' ? {} : { [name]: text })
const reason = { name: 'reason', label: 'Reason (optional)' } as const

const is =
  (wanted: TreeTask['status']) =>
  ({ status }: TreeTask): boolean =>
    status === wanted

export const verbs: readonly Verb[] = [
  {
    name: 'restore',
    isMain: true,
    title: 'Restore',
    done: ({ restored = 1 }) =>
      restored === 1
        ? 'It is restored.'
        : `Restored ${restored} tasks: this one and those hidden with it.`,
    isFor: ({ deleted_at }) => deleted_at !== null,
    run: verb(work.restore),
  },
  {
    name: 'claim',
    isMain: true,
    title: 'Claim',
    done: 'It is claimed.',
    isFor: is('open'),
    run: verb(work.claim),
  },
  {
    name: 'complete',
    isMain: true,
    title: 'Complete',
    done: 'It is waiting for approval.',
    asks: { name: 'summary', label: 'Summary (optional)' },
    isFor: is('in_progress'),
    run: verb(work.complete, optional('summary')),
  },
  {
    name: 'block',
    title: 'Block',
    done: 'It is blocked and unclaimed.',
    asks: reason,
    isFor: is('in_progress'),
    run: verb(work.block, optional('reason')),
  },
  {
    name: 'release',
    title: 'Release',
    done: 'It is open again.',
    isFor: is('in_progress'),
    run: release,
  },
  {
    name: 'approve',
    isMain: true,
    title: 'Approve',
    done: 'It is closed.',
    isFor: is('pending_merge'),
    run: verb(work.approve),
  },
  {
    name: 'reject',
    title: 'Reject',
    done: 'It is blocked.',
    asks: reason,
    isFor: is('pending_merge'),
    run: verb(work.reject, optional('reason')),
  },
  {
    name: 'unblock',
    isMain: true,
    title: 'Unblock',
    done: 'It is open again.',
    isFor: is('blocked'),
    run: verb(work.unblock),
  },
  {
    name: 'tags',
    title: 'Tags…',
    done: 'Its tags are changed.',
    asks: {
      name: 'tags',
      label: 'Tags, separated by commas',
      initial: ({ tags }) => tags.join(', '),
    },
    isFor: () => true,
    run: verb(tags.setTags, (text) => ({ tags: wordsOf(text) })),
  },
  {
    name: 'move',
    title: 'Move…',
    done: 'It is moved.',
    asks: {
      name: 'parent',
      label: 'ID of the parent task (empty for a root)',
      initial: ({ parent_id }) => parent_id ?? '',
    },
    isFor: () => true,
    run: verb(hierarchy.reparent, (text) => ({ new_parent_id: text || null })),
  },
]
