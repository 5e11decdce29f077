import stringWidth from 'string-width'
import { Ends, type Part } from './line.tsx'
import type { Away } from './state.ts'
import { clockText } from './times.ts'
import { plain } from './wording.ts'

interface FooterProps {
  readonly columns: number
  readonly away: Away | null
  readonly problem: string | null
  /** What is said while all is well. */
  readonly status: string
  /** What is said in its place where it calls for somebody. */
  readonly news?: string | null
  /** Keys and what they do, the dispensable ones first. */
  readonly keys: readonly (readonly [key: string, does: string])[]
}

/** What is the matter, and what can be done. */
export function Footer({ columns, away, problem, status, news = null, keys }: FooterProps) {
  const said = away ? awayText(away) : problem === null ? (news ?? status) : plain(problem)
  const colour = away || problem === null ? 'yellow' : 'red'
  const isWell = !away && problem === null && news === null
  return (
    <Ends
      columns={columns}
      left={isWell ? { text: said, dimColor: true } : { text: said, colour, bold: true }}
      right={keyParts(fitting(keys, columns - stringWidth(said) - 1))}
    />
  )
}

const awayText = ({ since, isForGood, why }: Away): string =>
  plain(
    isForGood
      ? `! Store gone since ${clockText(since)}: quit, and start np m again. ${why}`
      : `! Store away since ${clockText(since)}, trying again. ${why}`,
  )

const keyParts = (keys: FooterProps['keys']): Part[] =>
  keys.flatMap(([key, does], at) => [
    { text: `${at > 0 ? '  ' : ''}${key} ` },
    { text: does, dimColor: true },
  ])

/** As many of the last ones as there is room for, and always how to leave. */
function fitting(keys: FooterProps['keys'], columns: number): FooterProps['keys'] {
  let room = columns + 2
  const from = keys.findLastIndex(([key, does]) => {
    room -= stringWidth(`${key} ${does}  `)
    return room < 0
  })
  return keys.slice(Math.min(from + 1, keys.length - 1))
}
