import type { SessionSummary } from '../../plan/index.ts'
import { oneLine } from '../program/printable.ts'

/** A session in a list: id, state, last change, directory, goal. */
export function sessionRow({ session, goal }: SessionSummary): string {
  const { sid, state, last_updated_at, dir_path } = session
  const title = goal ? oneLine(goal.title) : '(no goal yet)'
  const words = [sid, state.padEnd('archived'.length), inSeconds(last_updated_at)]
  return [...words, oneLine(dir_path), title].join('  ')
}

/** A time without its fractions: `2026-01-31T12:34:56Z`. */
export const inSeconds = (time: string): string => oneLine(time).replace(/\.\d+(?=Z$)/, '')
