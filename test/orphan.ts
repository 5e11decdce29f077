// Vitest loads this in each of its workers. One whose test run was killed would go on to the end of its file, and all that it
// has started with it: it ends them and itself. The shells that clean up behind servers take no such signal, and do their work.
import { readFileSync } from 'node:fs'

// A worker runs many files, and loads this before each.
if (!process.listeners('disconnect').some(({ name }) => name === endWithAll.name))
  process.once('disconnect', endWithAll)

function endWithAll(): void {
  for (const child of childrenOf(process.pid)) process.kill(child, 'SIGTERM')
  process.kill(process.pid, 'SIGKILL')
}

/** Ids of the processes that one has started; none where the system does not tell. */
export function childrenOf(id: number): number[] {
  try {
    const list = readFileSync(`/proc/${id}/task/${id}/children`, 'utf8')
    return list.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
