import { hrefOf } from '../route.ts'
import { useDialog } from '../show/dialog.tsx'
import type { TreeTask } from '../source/api.ts'
import { ActingAs } from './acting-as.tsx'
import { NewTask } from './forms.tsx'

/** The title of the tree's views, the way between them, and how to create a task. */
export function TreeHead({
  place,
  onAdded,
}: {
  place: 'tree' | 'board'
  onAdded: (task: TreeTask) => void
}) {
  const open = useDialog()
  const create = () =>
    open((close) => (
      <NewTask
        onDone={(task) => {
          close()
          onAdded(task)
        }}
        onClose={close}
      />
    ))
  return (
    <header class="view-head">
      <h1>Tree</h1>
      <nav class="tabs" aria-label="Tree">
        <a href={hrefOf(['tree'])} aria-current={place === 'tree' ? 'page' : undefined}>
          Tree
        </a>
        <a href={hrefOf(['tree', 'board'])} aria-current={place === 'board' ? 'page' : undefined}>
          Board
        </a>
      </nav>
      <div class="buttons">
        <ActingAs />
        <button type="button" onClick={create}>
          New task
        </button>
      </div>
    </header>
  )
}
