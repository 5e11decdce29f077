import type { Plugin } from 'vite'

/** What only a server needs of a row of a table of operations: the words of its documentation, and what it runs. */
const dropped = /^(summary|details|run|change|errors|role|adminIf|missing|loggedAs)$/
/** What makes inputs and outputs. How one is asked for goes by their names and forms, not by their schemas. */
const makers = /^(required|optional|one|oneIfAny|created|ensured|found|done|whole|page|steps)$/
/** What makes schemas. */
const schemas = /^(shape|json|kind|objectOf|documentSchema|schemasOf|snakeCased|listOf|ref)$/
const tables = /\/src\/(jobs|list|plan|queue|tree)\/(?:((?:\w+-)?operations|shapes)|fields)\.ts$/

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly key?: { readonly name?: string }
  readonly properties?: readonly Node[]
  readonly callee?: { readonly name?: string }
  readonly arguments?: readonly Node[]
}

/** A third of the client would be words that no page shows: tables come into the page without them. */
export const bareRows = (): Plugin => ({
  name: 'bare-rows',
  enforce: 'pre',
  transform(code, id) {
    const table = tables.exec(id)
    if (table === null) return null
    const root = this.parse(code, { lang: 'ts' }) as unknown as Node
    const cuts = cutsIn(root, table[2] === undefined ? ofField : ofRow)
    let bare = code
    for (const { start, end, isWhole } of cuts.reverse()) {
      const rest = bare.slice(end)
      bare = bare.slice(0, start) + (isWhole ? rest.replace(/^\s*,/, '') : `0${rest}`)
    }
    return { code: bare, map: null }
  },
})

interface Cut {
  readonly start: number
  readonly end: number
  /** Whether nothing stays of it; else it becomes 0. */
  readonly isWhole?: boolean
}

/** What is not for the page of one node; undefined where that is for its parts to say. */
type CutsOf = (node: Node) => Cut[] | undefined

/** What may be dropped is only of the row itself: inputs may have the same names. */
const ofRow: CutsOf = (node) => {
  const { properties } = node
  if (properties?.some(({ key }) => key?.name === 'http'))
    return properties.flatMap((each) =>
      dropped.test(each.key?.name ?? '')
        ? [{ start: each.start, end: each.end, isWhole: true }]
        : cutsIn(each, ofRow),
    )
  if (node.type !== 'CallExpression') return undefined
  const name = node.callee?.name ?? ''
  if (schemas.test(name)) return [node]
  const [first] = node.arguments ?? []
  if (!first || !makers.test(name)) return undefined
  return [{ start: first.start, end: node.arguments?.at(-1)?.end ?? first.end }]
}

/** What a field means is its second argument. */
const ofField: CutsOf = (node) => {
  if (node.type !== 'CallExpression' || node.callee?.name !== 'field') return undefined
  return (node.arguments ?? []).flatMap((each, at) => (at === 1 ? [each] : cutsIn(each, ofField)))
}

/** What is not for the page, in order. */
function cutsIn(node: Node, cutsOf: CutsOf): Cut[] {
  if (node.type === 'ObjectPattern') return []
  return (
    cutsOf(node) ??
    Object.values(node)
      .flat()
      .filter((each): each is Node => typeof each?.type === 'string')
      .flatMap((each) => cutsIn(each, cutsOf))
      .sort((a, b) => a.start - b.start)
  )
}
