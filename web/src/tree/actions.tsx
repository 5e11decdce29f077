import { useApi } from '../context.ts'
import { type Action, ActionButton, type Done } from '../show/action.tsx'
import { useDialog } from '../show/dialog.tsx'
import { Field, FormDialog } from '../show/form.tsx'
import { plain } from '../show/text.tsx'
import type { SeenTreeTask, TreeTask } from '../source/api.ts'
import { ActingAs } from './acting-as.tsx'
import { EditTask, NewPart } from './forms.tsx'
import { shownOf } from './moves.ts'
import { subjectOf } from './traits.ts'
import { type Verb, verbs } from './verbs.ts'

/** What can be done to a task as it is shown, and in whose name. */
export function Actions({ seen, action }: { seen: SeenTreeTask; action: Action }) {
  const api = useApi()
  const open = useDialog()
  const { id, status } = seen.task
  const done = (words: string) => (after: SeenTreeTask) => ({ words, id, state: after.state })
  /** What a form ends with, given what it says then. */
  const ends = <R,>(close: () => void, told: (result: R) => Done) => ({
    onClose: close,
    onDone: (result: R) => {
      close()
      action.tell(told(result))
    },
  })
  const press = (verb: Verb) => {
    const told = (after: SeenTreeTask) =>
      done(typeof verb.done === 'string' ? verb.done : verb.done(after))(after)
    if (verb.asks) open((close) => <VerbForm verb={verb} seen={seen} {...ends(close, told)} />)
    else void action.run(() => verb.run(api, seen, '').then(told))
  }
  const edit = () => open((close) => <EditTask seen={seen} {...ends(close, done('Saved.'))} />)
  const add = () => {
    const told = ({ title }: TreeTask) => done(`Added “${plain(title)}”.`)(seen)
    open((close) => <NewPart parent={seen} {...ends(close, told)} />)
  }
  const tied = { action, on: seen.state ?? shownOf(seen.task) }
  return (
    <div class="actions">
      <div class="buttons">
        {verbs
          .filter(({ isFor }) => isFor(seen.task))
          .map((verb) => (
            <ActionButton
              key={verb.name}
              {...tied}
              kind={verb.isMain ? 'main' : undefined}
              onPress={() => press(verb)}
            >
              {verb.title}
            </ActionButton>
          ))}
        <ActionButton {...tied} onPress={edit}>
          Edit…
        </ActionButton>
        {status !== 'closed' && (
          <ActionButton {...tied} onPress={add}>
            Add a part…
          </ActionButton>
        )}
      </div>
      <ActingAs />
    </div>
  )
}

interface VerbFormProps {
  readonly verb: Verb
  readonly seen: SeenTreeTask
  readonly onDone: (after: SeenTreeTask) => void
  readonly onClose: () => void
}

/** One text that a verb is done with. */
function VerbForm({ verb, seen, ...ends }: VerbFormProps) {
  const api = useApi()
  const title = verb.title.replace('…', '')
  const { name = '', label = '', initial } = verb.asks ?? {}
  return (
    <FormDialog
      title={title}
      button={title}
      subject={subjectOf(api, seen)}
      run={({ typed, base }) => verb.run(api, base, typed(name))}
      {...ends}
    >
      <Field name={label}>
        <input name={name} defaultValue={initial?.(seen.task) ?? ''} />
      </Field>
    </FormDialog>
  )
}
