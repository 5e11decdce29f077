import { useState } from 'preact/hooks'
import { useApi } from '../context.ts'
import { Ask, wordsOf } from '../show/form.tsx'
import type { Doing } from '../show/notice.tsx'
import type { Api, SeenTreeTask, TreeTask } from '../source/api.ts'
import { ActingAs } from './acting-as.tsx'
import { EditTask, NewTask } from './forms.tsx'

interface Verb {
  readonly name: string
  readonly title: string
  readonly done: string
  /** What most people come for in that status. */
  readonly isMain?: true
  /** What is asked for first. */
  readonly asks?: {
    readonly label: string
    readonly isOptional?: true
    readonly initial?: (task: TreeTask) => string
  }
  readonly isFor: (task: TreeTask) => boolean
  readonly run: (api: Api, seen: SeenTreeTask, text: string) => Promise<unknown>
}

const verb =
  (path: string, body: (text: string) => unknown = () => ({})) =>
  (api: Api, { task, etag }: SeenTreeTask, text: string) =>
    api.treeVerb(task.id, { path }, { etag, body: body(text) })

const reason = { label: 'Reason', isOptional: true } as const
const withReason = (text: string) => (text === '' ? {} : { reason: text })
const verbs: readonly Verb[] = [
  {
    name: 'claim',
    isMain: true,
    title: 'Claim',
    done: 'It is claimed.',
    isFor: ({ status }) => status === 'open',
    run: verb('claim'),
  },
  {
    name: 'complete',
    isMain: true,
    title: 'Complete',
    done: 'It waits for approval.',
    asks: { label: 'Summary', isOptional: true },
    isFor: ({ status }) => status === 'in_progress',
    run: verb('complete', (text) => (text === '' ? {} : { summary: text })),
  },
  {
    name: 'block',
    title: 'Block',
    done: 'It is blocked, and nobody’s.',
    asks: reason,
    isFor: ({ status }) => status === 'in_progress',
    run: verb('block', withReason),
  },
  {
    name: 'release',
    title: 'Release',
    done: 'It is open again.',
    isFor: ({ status }) => status === 'in_progress',
    run: (api, { task, etag }) =>
      // Whoever looks on may give back what a dead agent holds.
      api.treeVerb(
        task.id,
        { path: 'release' },
        { etag, query: { force: task.claimed_by !== api.agent } },
      ),
  },
  {
    name: 'approve',
    isMain: true,
    title: 'Approve',
    done: 'It is closed.',
    isFor: ({ status }) => status === 'pending_merge',
    run: verb('approve'),
  },
  {
    name: 'reject',
    title: 'Reject',
    done: 'It is blocked.',
    asks: reason,
    isFor: ({ status }) => status === 'pending_merge',
    run: verb('reject', withReason),
  },
  {
    name: 'unblock',
    isMain: true,
    title: 'Unblock',
    done: 'It is open again.',
    isFor: ({ status }) => status === 'blocked',
    run: verb('unblock'),
  },
  {
    name: 'tags',
    title: 'Tags…',
    done: 'It has these tags now.',
    asks: {
      label: 'Tags, with commas between',
      isOptional: true,
      initial: ({ tags }) => tags.join(', '),
    },
    isFor: () => true,
    run: (api, { task, etag }, text) =>
      api.treeVerb(
        task.id,
        { path: 'tags', method: 'PUT' },
        { etag, body: { tags: wordsOf(text) } },
      ),
  },
  {
    name: 'move',
    title: 'Move…',
    done: 'It is moved.',
    asks: {
      label: 'Id of the task that it is part of; nothing for a root',
      isOptional: true,
      initial: ({ parent_id }) => parent_id ?? '',
    },
    isFor: () => true,
    run: (api, { task, etag }, text) =>
      api.treeVerb(task.id, { path: 'reparent' }, { etag, body: { new_parent_id: text || null } }),
  },
]

type FormName = 'edit' | 'part'

const Form = ({
  name,
  seen,
  onSaved,
  onClose,
}: {
  name: FormName
  seen: SeenTreeTask
  onSaved: (what: string) => void
  onClose: () => void
}) =>
  name === 'edit' ? (
    <EditTask seen={seen} onDone={() => onSaved('It is changed.')} onClose={onClose} />
  ) : (
    <NewTask parent={seen.task} onDone={() => onSaved('The part is there.')} onClose={onClose} />
  )

/** What can be done to a task as it is, in whose name, and on the condition that it still is so. */
export function Actions({
  seen,
  doing,
  onDone,
}: {
  seen: SeenTreeTask
  doing: Doing
  onDone: () => Promise<void>
}) {
  const api = useApi()
  const [asking, setAsking] = useState<{ verb: Verb; seen: SeenTreeTask } | null>(null)
  const [form, setForm] = useState<FormName | null>(null)
  const run = async (given: Verb, on: SeenTreeTask, text: string) => {
    setAsking(null)
    await doing.run(given.done, () => given.run(api, on, text))
    await onDone()
  }
  const saved = (what: string) => {
    setForm(null)
    void doing.run(what, onDone)
  }
  return (
    <div class="actions">
      <div class="buttons">
        {verbs
          .filter(({ isFor }) => isFor(seen.task))
          .map((each) => (
            <button
              key={each.name}
              type="button"
              class={each.isMain ? 'main' : undefined}
              disabled={doing.isBusy}
              onClick={() =>
                each.asks ? setAsking({ verb: each, seen }) : void run(each, seen, '')
              }
            >
              {each.title}
            </button>
          ))}
        <button type="button" disabled={doing.isBusy} onClick={() => setForm('edit')}>
          Edit…
        </button>
        {seen.task.status !== 'closed' && (
          <button type="button" disabled={doing.isBusy} onClick={() => setForm('part')}>
            Add a part…
          </button>
        )}
      </div>
      <ActingAs />
      {form && <Form name={form} seen={seen} onSaved={saved} onClose={() => setForm(null)} />}
      {asking?.verb.asks && (
        <Ask
          title={asking.verb.title.replace('…', '')}
          label={asking.verb.asks.label}
          isOptional={asking.verb.asks.isOptional ?? false}
          initial={asking.verb.asks.initial?.(asking.seen.task) ?? ''}
          button={asking.verb.title.replace('…', '')}
          onDone={(text) => void run(asking.verb, asking.seen, text)}
          onClose={() => setAsking(null)}
        />
      )}
    </div>
  )
}
