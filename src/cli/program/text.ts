import { shownUrl, withoutSecrets } from '../../store/internal.ts'
import { printable } from '../../terminal/index.ts'

/**
 * What was typed, as an error may quote it: the start of it, and no secret if it is a URL that stands in the wrong place.
 * Secrets are hidden before the cut, because half a URL is harder to recognize.
 */
export function typed(text: string, charactersMax = 40): string {
  const isUrl = /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(text)
  return (isUrl ? shownUrl(text.trim()) : withoutSecrets(text)).slice(0, charactersMax)
}

/** A text as a shell reads it back, for commands that a person copies. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

/** `name: value`. Further lines stand below the first, so that none can be taken for a field. */
export function fieldLines(name: string, value: string): string[] {
  const [first, ...more] = value
    .split('\n')
    .map((line) => line.split('\t').map(printable).join('\t'))
  const indent = ' '.repeat(name.length + 2)
  return [`${name}: ${first}`, ...more.map((line) => indent + line)].map((line) => line.trimEnd())
}

/** The starts of ids: as much of each as tells it from the others, and from some that are not shown. */
export function shortIds(
  ids: readonly string[],
  { lengthMin, alike = [] }: { lengthMin: number; alike?: readonly string[] },
): string[] {
  const sorted = [...new Set([...ids, ...alike])].sort()
  const length = new Map(
    sorted.map((id, at) => {
      const shared = Math.max(sharedStart(id, sorted[at - 1]), sharedStart(id, sorted[at + 1]))
      return [id, Math.max(lengthMin, shared + 1)]
    }),
  )
  return ids.map((id) => id.slice(0, length.get(id)))
}

function sharedStart(a: string, b = ''): number {
  let length = 0
  while (length < b.length && a[length] === b[length]) length++
  return length
}

/** "Did you mean …?" and a space, where one of the known words is close to what was typed; else nothing. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const best = closestTo(typed.toLowerCase(), known)
  return best === undefined ? '' : `Did you mean ${best}? `
}

function closestTo(typed: string, known: readonly string[]): string | undefined {
  const bare = withoutDashes(typed)
  if (bare === '') return undefined
  const distances = known.map((word) => ({
    word,
    distance: editDistance(bare, withoutDashes(word)),
  }))
  const near = distances.filter(({ word, distance }) => isSlip(withoutDashes(word), distance))
  const start = known.find((word) => withoutDashes(word).startsWith(bare))
  return near.sort((a, b) => a.distance - b.distance)[0]?.word ?? start
}

const withoutDashes = (word: string): string => word.replace(/^-+/, '')

/** One letter, or a third of a long word; never all of it. */
const isSlip = (word: string, distance: number): boolean =>
  distance < word.length && distance <= Math.max(1, word.length / 3)

const comparedLengthMax = 40

/** How many letters to insert, delete, replace or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  if (Math.max(a.length, b.length) > comparedLengthMax) return comparedLengthMax
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? comparedLengthMax
  for (let row = 1; row <= a.length; row++) {
    rows.push([row])
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      rows[row]!.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwap ? at(row - 2, column - 2) + 1 : comparedLengthMax,
        ),
      )
    }
  }
  return at(a.length, b.length)
}
