/** "Did you mean …?" and a space, where one of the known words is close to what was typed; else nothing. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const best = closest(typed.toLowerCase(), known)
  return best === undefined ? '' : `Did you mean ${best}? `
}

function closest(typed: string, known: readonly string[]): string | undefined {
  const bare = withoutDashes(typed)
  if (bare === '') return undefined
  const distances = known.map((word) => ({ word, distance: distance(bare, withoutDashes(word)) }))
  const near = distances.filter(({ word, distance }) => isSlip(withoutDashes(word), distance))
  const start = known.find((word) => withoutDashes(word).startsWith(bare))
  return near.sort((a, b) => a.distance - b.distance)[0]?.word ?? start
}

const withoutDashes = (word: string): string => word.replace(/^-+/, '')

/** One letter, or a third of a long word; never all of it. */
const isSlip = (word: string, distance: number): boolean =>
  distance < word.length && distance <= Math.max(1, word.length / 3)

const lengthMax = 40

/** How many letters to insert, delete, replace or swap with their neighbour. */
function distance(a: string, b: string): number {
  if (Math.max(a.length, b.length) > lengthMax) return lengthMax
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? lengthMax
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
          isSwap ? at(row - 2, column - 2) + 1 : lengthMax,
        ),
      )
    }
  }
  return at(a.length, b.length)
}
