import { useState } from 'preact/hooks'
import { type Status, transitions } from '../../../src/tree/status.ts'
import { useApi } from '../context.ts'
import { useIsHere } from '../here.ts'
import { Button } from '../show/button.tsx'
import { Dialog } from '../show/dialog.tsx'
import { Field, FormDialog } from '../show/form.tsx'
import { FailureBox } from '../show/notice.tsx'
import { Status as Badge } from '../show/status.tsx'
import { plain } from '../show/text.tsx'
import type { SeenTreeTask, TreeTask } from '../source/api.ts'
import { type Failure, outcomeOf } from '../source/failure.ts'
import { moveTo, nameOf, ofList, shownOf } from './moves.ts'
import { subjectOf } from './traits.ts'

interface MoveProps {
  readonly task: TreeTask
  readonly onDone: (after: SeenTreeTask) => void
  readonly onClose: () => void
}

/** Asks where to move a task, and moves it. Where somebody else was faster it says so, and asks again. */
export function MoveDialog({ task, onDone, onClose }: MoveProps) {
  const api = useApi()
  const [seen, setSeen] = useState(() => ofList(task))
  const [isBlocking, setBlocking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const isHere = useIsHere()
  const move = async (to: Status) => {
    if (to === 'blocked') return setBlocking(true)
    setBusy(true)
    setFailure(null)
    const outcome = await outcomeOf(() => moveTo(api, seen, to))
    if (!isHere.current) return
    if ('value' in outcome) return onDone(outcome.value)
    const now = await outcomeOf(() => api.treeTask(task.id))
    if ('value' in now) setSeen(now.value)
    setFailure(outcome.failure)
    setBusy(false)
  }
  if (isBlocking) return <BlockForm seen={seen} onDone={onDone} onClose={onClose} />
  return (
    <Dialog title={`Move “${plain(task.title)}”`} isBusy={isBusy} onClose={onClose}>
      <p class="soft">
        It is <Badge status={seen.task.status} />. Where to?
      </p>
      {failure && <FailureBox failure={failure} />}
      <p class="buttons">
        {transitions[seen.task.status].map((to) => (
          <Button
            key={to}
            on={seen.state ?? shownOf(seen.task)}
            isBusy={isBusy}
            onClick={() => void move(to)}
          >
            {nameOf(to)}
          </Button>
        ))}
        <Button kind="link" isBusy={isBusy} onClick={onClose}>
          Go back
        </Button>
      </p>
    </Dialog>
  )
}

/** Blocks a task, for a reason if there is one. */
export function BlockForm({ seen, ...ends }: Omit<MoveProps, 'task'> & { seen: SeenTreeTask }) {
  const api = useApi()
  return (
    <FormDialog
      title={`${plain(seen.task.title)}: blocked`}
      button="Block"
      subject={subjectOf(api, seen)}
      run={({ typed, base }) => moveTo(api, base, 'blocked', typed('reason'))}
      {...ends}
    >
      <Field name="Reason (optional)">
        <input name="reason" />
      </Field>
    </FormDialog>
  )
}
