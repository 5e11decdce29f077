import type { SessionSummary } from '../../plan/internal.ts'
import {
  columnWidth,
  endFittedTo,
  fittedTo,
  gap,
  measureFor,
  padTo,
  sharedRoom,
} from '../program/display-width.ts'
import { oneLine } from '../program/printable.ts'

/** Where directory and goal have less room than this, the time goes: the list is in its order anyway. */
const restWanted = 30
/** With less room directory and goal are cut as one, and with less than the other the goal has all of it. */
const restMin = 6
const bothMin = 16

/**
 * Sessions in a list: id, state, last change, directory, goal. On a terminal of so many columns the last two are cut
 * where they have no room.
 */
export async function sessionRows(
  summaries: readonly SessionSummary[],
  columns: number | null,
): Promise<string[]> {
  const rows = summaries.map(sessionRow)
  if (columns === null) return rows
  const cells = summaries.map(cellsOf)
  const [places, goals] = [cells.map(({ place }) => place), cells.map(({ goal }) => goal)]
  const measure = await measureFor([...places, ...goals])
  if (rows.every((row) => measure(row) <= columns)) return rows
  const widthOf = (texts: readonly string[]) => columnWidth(texts.map(measure))
  const restBeside = (heads: readonly string[]) => columns - widthOf(heads) - gap.length
  const full = cells.map(({ head }) => head)
  const heads = restBeside(full) < restWanted ? cells.map(({ shortHead }) => shortHead) : full
  const rest = restBeside(heads)
  if (rest < restMin) return rows.map((row) => fittedTo(columns, row, measure))
  const room =
    rest < bothMin
      ? { main: rest - gap.length - 1, extra: 1 }
      : sharedRoom(rest, widthOf(goals), widthOf(places))
  return cells.map(({ place, goal }, nth) => {
    const end = padTo(room.extra, endFittedTo(room.extra, place, measure), measure)
    return [heads[nth], end, fittedTo(room.main, goal, measure)].join(gap)
  })
}

/** A session in one line, however long. */
export function sessionRow(summary: SessionSummary): string {
  const { head, place, goal } = cellsOf(summary)
  return [head, place, goal].join(gap)
}

function cellsOf({ session, goal }: SessionSummary) {
  const { sid, state, last_updated_at, dir_path } = session
  const shortHead = [sid, state.padEnd('archived'.length)].join(gap)
  return {
    shortHead,
    head: [shortHead, inSeconds(last_updated_at)].join(gap),
    place: oneLine(dir_path),
    goal: goal ? oneLine(goal.title) : '(no goal yet)',
  }
}

/** A time without its fractions: `2026-01-31T12:34:56Z`. */
export const inSeconds = (time: string): string => oneLine(time).replace(/\.\d+(?=Z$)/, '')
