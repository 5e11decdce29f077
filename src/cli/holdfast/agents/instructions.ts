import { createHash } from 'node:crypto'
import {
  ChangedByHandError,
  changed,
  contentOf,
  type FileChange,
  unchanged,
} from './file-change.ts'

const body = `## Plans: np

Work that takes more than one step is kept in a plan, which outlives your memory. \`np\` is the only way to change it.

- At the start: \`np prime\` shows the plan of this directory, what is ready, and the rules. \`np r\` restores it later.
- No session: \`np s\`, then \`np g s -t TITLE -d DESCRIPTION\`, then \`np t a -t TITLE -d DESCRIPTION\`.
- Before a task: \`np t u -i ID -s in_progress\`. When it is done: \`np t u -i ID -s completed\`, at once.
- \`np --help\` has the rest; \`--json\` answers programs.
`

/**
 * The block between its marks. The first mark says how many line ends were put before it, whether the file was made for
 * it, and a hash by which a change by hand is found out: so the file can be made what it was.
 */
const block = (gap: number, isMade: boolean): string => {
  const kept = isMade ? 'made' : `gap ${gap}`
  return `<!-- holdfast: begin (${kept}, ${hashOf(body)}); "holdfast agents uninstall" takes this block away -->\n${body}<!-- holdfast: end -->\n`
}

const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12)

const pattern =
  /(\n*)<!-- holdfast: begin \((made|gap (\d)), ([0-9a-f]{12})\)[^\n]*\n(.*?)<!-- holdfast: end -->\n?/s

interface Found {
  readonly start: number
  readonly end: number
  readonly gap: number
  readonly isMade: boolean
  readonly text: string
  readonly isTouched: boolean
  readonly isCurrent: boolean
}

function found(content: string): Found | null {
  const match = pattern.exec(content)
  if (!match) return null
  const [whole, before = '', kind, gapDigit = '0', hash, inner = ''] = match
  const gap = Math.min(Number(gapDigit), before.length)
  const start = match.index + before.length - gap
  return {
    start,
    end: match.index + whole.length,
    gap,
    isMade: kind === 'made',
    text: whole.slice(before.length),
    isTouched: hashOf(inner) !== hash,
    isCurrent: inner === body,
  }
}

const byHand = (path: string, next: string): ChangedByHandError =>
  new ChangedByHandError(`The block of Holdfast in ${path} was changed by hand.`, next)

export const instructions = {
  install(path: string): FileChange {
    const content = contentOf(path)
    if (content === null) return changed(path, 'make', block(0, true), block(0, true))
    const there = found(content)
    if (there?.isCurrent) return unchanged(path)
    if (there?.isTouched) throw byHand(path, 'Take it away first, with what you wrote there.')
    if (there) {
      const text = block(there.gap, there.isMade)
      const before = content.slice(0, there.start) + '\n'.repeat(there.gap)
      return changed(path, 'replace', text, before + text + content.slice(there.end))
    }
    // A blank line between what is there and the block.
    const gap = content === '' ? 0 : content.endsWith('\n') ? 1 : 2
    const text = block(gap, false)
    return changed(path, 'add', text, content + '\n'.repeat(gap) + text)
  },

  uninstall(path: string, { force }: { force: boolean }): FileChange {
    const content = contentOf(path)
    const there = content === null ? null : found(content)
    if (content === null || there === null) return unchanged(path)
    if (there.isTouched && !force)
      throw byHand(path, 'Save what you wrote there, then give --force.')
    const rest = content.slice(0, there.start) + content.slice(there.end)
    if (there.isMade && rest === '') return changed(path, 'delete', there.text, null)
    return changed(path, 'remove', there.text, rest)
  },
}
