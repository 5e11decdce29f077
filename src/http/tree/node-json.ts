import type { TaskNode } from '../../tree/index.ts'

/** A subtree as JSON, however deep it is: `JSON.stringify` would exhaust the stack at some thousand levels. */
export function nodeJson(root: TaskNode): string {
  const nodes: TaskNode[] = [root]
  for (const node of nodes) for (const child of node.children) nodes.push(child)
  // The deepest first, so that a node finds its children written.
  const texts = new Map<TaskNode, string>()
  for (const node of nodes.reverse()) {
    const { children, ...task } = node
    const below = children.map((child) => texts.get(child)).join(',')
    texts.set(node, `${JSON.stringify(task).slice(0, -1)},"children":[${below}]}`)
  }
  return texts.get(root) as string
}
