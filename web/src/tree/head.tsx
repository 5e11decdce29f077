import { useState } from 'preact/hooks'
import { hrefOf } from '../route.ts'
import { ActingAs } from './acting-as.tsx'
import { NewTask } from './forms.tsx'

/** The title of the tree's views, the way between them, and what begins everything: a new task. */
export function TreeHead({
  place,
  onAdded,
}: {
  place: 'tree' | 'board'
  onAdded: () => Promise<void>
}) {
  const [isAsking, setAsking] = useState(false)
  const added = () => {
    setAsking(false)
    void onAdded()
  }
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
        <button type="button" onClick={() => setAsking(true)}>
          New task
        </button>
      </div>
      {isAsking && <NewTask parent={null} onDone={added} onClose={() => setAsking(false)} />}
    </header>
  )
}
