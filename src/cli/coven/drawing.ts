import type { TaskNode } from '../../tree/index.ts'
import { fittedTo, measureFor } from '../program/display-width.ts'
import { oneLine } from '../program/printable.ts'
import { type Guides, shownIds, treeRows } from './row.ts'

/** A tree of which not all nodes may be shown. */
export interface CutTree {
  readonly node: TaskNode
  readonly children: readonly CutTree[]
  /** How many children are left out. */
  readonly hidden: number
}

/** The first so many nodes of a tree, level by level: what is nearer to the root is worth more. */
export function cutTree(root: TaskNode, nodesMax: number): { tree: CutTree; total: number } {
  const levels = [[root]]
  for (let level = levels[0] as TaskNode[]; level.length > 0; ) {
    level = level.flatMap(({ children }) => children)
    levels.push(level)
  }
  const all = levels.flat()
  const kept = new Set(all.slice(0, nodesMax))
  const cut = (node: TaskNode): CutTree => {
    const shown = node.children.filter((child) => kept.has(child))
    return { node, children: shown.map(cut), hidden: node.children.length - shown.length }
  }
  return { tree: cut(root), total: all.length }
}

/** The nodes from top to bottom, as they are drawn. */
export const nodesOf = ({ node, children }: CutTree): TaskNode[] => [
  node,
  ...children.flatMap(nodesOf),
]

/** The same with nothing but what is shown, for programs. */
export const dataOf = ({ node, children }: CutTree): TaskNode => ({
  ...node,
  children: children.map(dataOf),
})

interface Line extends Guides {
  /** What stands there, or how many are left out. */
  readonly node: TaskNode | number
}

/** `├──`, `└──` and `│` before each task say where it hangs. */
export async function drawnTree(tree: CutTree, columns: number | null): Promise<string[]> {
  const nodes = nodesOf(tree)
  const ids = new Map(shownIds(nodes, columns).map((id, at) => [nodes[at], id]))
  const measure = await measureFor(['│', ...nodes.map(({ title }) => oneLine(title))])
  const terminal = columns === null ? null : { columns, measure }
  return linesOf(tree).flatMap(({ node, ...guides }) => {
    if (typeof node !== 'number')
      return treeRows(node, { ...guides, id: ids.get(node) as string }, terminal)
    const rest = `${guides.guide}… ${node} more`
    return terminal ? fittedTo(terminal.columns, rest, measure) : rest
  })
}

function linesOf({ node, children, hidden }: CutTree, above = '', own = ''): Line[] {
  const last = hidden > 0 ? children.length : children.length - 1
  const below = children.flatMap((child, at) =>
    at === last
      ? linesOf(child, `${above}    `, `${above}└── `)
      : linesOf(child, `${above}│   `, `${above}├── `),
  )
  const rest = hidden > 0 ? [{ guide: `${above}└── `, below: '', node: hidden }] : []
  const isLeaf = children.length + hidden === 0
  return [{ guide: own, below: `${above}${isLeaf ? ' ' : '│'} `, node }, ...below, ...rest]
}
