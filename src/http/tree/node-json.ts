import { eventLoopTurn } from '../../store/internal.ts'
import type { TaskNode } from '../../tree/internal.ts'

/** A subtree as JSON, however deep it is, and without holding up others however large it is. */
export async function nodeJson(root: TaskNode): Promise<string> {
  const parts: string[] = []
  // What is still to be written: nodes, and what stands between them.
  const todo: (TaskNode | string)[] = [root]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const turn = eventLoopTurn()
    if (turn) await turn
    if (typeof next === 'string') {
      parts.push(next)
      continue
    }
    const { children, ...task } = next
    parts.push(`${JSON.stringify(task).slice(0, -1)},"children":[`)
    todo.push(']}')
    for (let at = children.length - 1; at >= 0; at--) {
      todo.push(children[at] as TaskNode)
      if (at > 0) todo.push(',')
    }
  }
  return parts.join('')
}
