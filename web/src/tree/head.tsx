import { useState } from 'preact/hooks'
import { useApi } from '../context.ts'
import { hrefOf } from '../route.ts'
import { Ask } from '../show/dialog.tsx'
import { Outcome, useDoing } from '../show/notice.tsx'

/** The title of the tree's views, the way between them, and what begins everything: a new task. */
export function TreeHead({
  place,
  onAdded,
}: {
  place: 'tree' | 'board'
  onAdded: () => Promise<void>
}) {
  const api = useApi()
  const doing = useDoing()
  const [isAsking, setAsking] = useState(false)
  const add = async (title: string) => {
    setAsking(false)
    await doing.run('The task is there.', () =>
      api.createTreeTask({ title, parent_id: null, type: 'task' }),
    )
    await onAdded()
  }
  return (
    <>
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
          <button type="button" onClick={() => setAsking(true)}>
            New task
          </button>
        </div>
      </header>
      <Outcome doing={doing} />
      {isAsking && (
        <Ask
          title="New task"
          label="Title"
          button="Create"
          onDone={(title) => void add(title)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
