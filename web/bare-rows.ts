import type { Plugin } from 'vite'

/** What only a server needs of a row of a table of operations: the words of its documentation, and what it runs. */
const dropped = /^(summary|details|run|change|errors|role|adminIf|missing|loggedAs)$/
/** What makes inputs and outputs. How one is asked for goes by their names and forms, not by their schemas. */
const makers = /^(required|optional|one|oneIfAny|created|ensured|found|done|whole|page|steps)$/
const tables = /\/src\/(jobs|list|plan|queue|tree)\/(\w+-)?operations\.ts$/

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly key?: { readonly name?: string }
  readonly value?: Node
  readonly shorthand?: boolean
  readonly callee?: { readonly name?: string }
  readonly arguments?: readonly Node[]
}

/** A third of the client would be words that no page shows: tables come into the page without them. */
export const bareRows = (): Plugin => ({
  name: 'bare-rows',
  enforce: 'pre',
  transform(code, id) {
    if (!tables.test(id)) return null
    const cuts = cutsIn(this.parse(code, { lang: 'ts' }) as unknown as Node)
    let bare = code
    for (const { start, end } of cuts.reverse()) bare = `${bare.slice(0, start)}0${bare.slice(end)}`
    return { code: bare, map: null }
  },
})

/** What is to be 0, in order. */
function cutsIn(node: Node): { readonly start: number; readonly end: number }[] {
  if (node.type === 'ObjectPattern') return []
  if (node.value && !node.shorthand && dropped.test(node.key?.name ?? '')) return [node.value]
  const [first] = node.arguments ?? []
  if (node.type === 'CallExpression' && first && makers.test(node.callee?.name ?? ''))
    return [{ start: first.start, end: node.arguments?.at(-1)?.end ?? first.end }]
  return Object.values(node)
    .flat()
    .filter((each): each is Node => typeof each?.type === 'string')
    .flatMap(cutsIn)
    .sort((a, b) => a.start - b.start)
}
