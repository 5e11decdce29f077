import { wordsOf } from '../show/form.tsx'
import type { Api, SeenTreeTask, TreeTask, TreeVerb, VerbInput } from '../source/api.ts'
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

const verb =
  <N extends TreeVerb>(name: N, more: (text: string) => VerbInput<N>) =>
  (api: Api, seen: SeenTreeTask, text: string) =>
    api.treeVerb(seen, name, more(text))

const nothing = () => ({})
/** Texts that may be left out. */
const summaryOf = (summary: string) => (summary === '' ? {} : { summary })
const reasonOf = (reason: string) => (reason === '' ? {} : { reason })
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
    run: verb('restore', nothing),
  },
  {
    name: 'claim',
    isMain: true,
    title: 'Claim',
    done: 'It is claimed.',
    isFor: is('open'),
    run: verb('claim', nothing),
  },
  {
    name: 'complete',
    isMain: true,
    title: 'Complete',
    done: 'It is waiting for approval.',
    asks: { name: 'summary', label: 'Summary (optional)' },
    isFor: is('in_progress'),
    run: verb('complete', summaryOf),
  },
  {
    name: 'block',
    title: 'Block',
    done: 'It is blocked and unclaimed.',
    asks: reason,
    isFor: is('in_progress'),
    run: verb('block', reasonOf),
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
    run: verb('approve', nothing),
  },
  {
    name: 'reject',
    title: 'Reject',
    done: 'It is blocked.',
    asks: reason,
    isFor: is('pending_merge'),
    run: verb('reject', reasonOf),
  },
  {
    name: 'unblock',
    isMain: true,
    title: 'Unblock',
    done: 'It is open again.',
    isFor: is('blocked'),
    run: verb('unblock', nothing),
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
    run: verb('setTags', (text) => ({ tags: wordsOf(text) })),
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
    run: verb('reparent', (text) => ({ new_parent_id: text || null })),
  },
]
