import { cut, startOf } from './fitted.ts'
import { plain } from './wording.ts'

const descriptionRowsMax = 2

/** What people see as one character can be long; what is longer than this has no room for sure. */
const unitsPerColumn = 12

/** The rows of a description on a terminal of so many columns; an ellipsis stands for what has no room. */
export function describedRows(description: string, columns: number): string[] {
  const unitsMax = columns * descriptionRowsMax * unitsPerColumn
  const isLong = description.length > unitsMax
  const rows = wrapped(plain(description.slice(0, unitsMax)).trim(), columns)
  const last = rows.at(-1)
  if (last === undefined || !isLong || last.endsWith('…')) return rows
  return [...rows.slice(0, -1), cut(last, columns)]
}

function wrapped(text: string, columns: number): string[] {
  const rows: string[] = []
  for (let rest = text; rest !== ''; ) {
    const row = startOf(rest, columns).text
    if (row === rest) return [...rows, row]
    if (rows.length === descriptionRowsMax - 1 || row === '') return [...rows, cut(rest, columns)]
    const end = breakIn(row, rest)
    rows.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return rows
}

/** Where a row ends: after its last word, unless that would leave much of it empty, as where words are not divided. */
function breakIn(row: string, rest: string): number {
  if (rest[row.length] === ' ') return row.length
  const space = row.lastIndexOf(' ')
  return space > row.length / 2 ? space : row.length
}
