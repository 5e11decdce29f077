// Written in JSX: it takes one line of tsconfig.json, and trees of createElement() calls are hard to read.
import { Box, Text, type TextProps } from 'ink'
import { createContext, type ReactNode, useContext } from 'react'
import stringWidth from 'string-width'
import { fittedParts } from './fitted.ts'
import type { Colour } from './wording.ts'

/** Whether colours may be used. */
export const Coloured = createContext(true)

interface TintProps extends Omit<TextProps, 'color' | 'children'> {
  readonly colour?: Colour
  readonly children: ReactNode
}

/** Text in a colour, where colours may be used. */
export function Tint({ colour, ...props }: TintProps) {
  const isColoured = useContext(Coloured)
  return <Text {...(colour !== undefined && isColoured ? { color: colour } : {})} {...props} />
}

/** A text of a line, and how it is drawn. */
export interface Part {
  readonly text: string
  readonly colour?: Colour
  readonly bold?: boolean
  readonly dimColor?: boolean
}

interface LineProps {
  readonly columns: number
  readonly parts: readonly Part[]
}

/** One line, cut where it is too long. */
export const Line = ({ columns, parts }: LineProps) => (
  <Box height={1} flexShrink={0} overflow="hidden">
    <Parts parts={fittedParts(parts, columns)} />
  </Box>
)

const Parts = ({ parts }: { readonly parts: readonly Part[] }) => (
  <Text wrap="truncate">
    {parts.map(({ text, ...drawn }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names, and none keeps a state
      <Tint key={at} {...drawn}>
        {text}
      </Tint>
    ))}
  </Text>
)

interface EndsProps {
  readonly columns: number
  readonly left: Part
  readonly right: readonly Part[]
}

/** One line with something at either end; the left one is cut where both have no room. */
export function Ends({ columns, left, right }: EndsProps) {
  const end = fittedParts(right, columns)
  const taken = stringWidth(end.map(({ text }) => text).join(''))
  return (
    <Box height={1} flexShrink={0} overflow="hidden" justifyContent="space-between">
      <Parts parts={fittedParts([left], taken === 0 ? columns : columns - taken - 1)} />
      <Parts parts={end} />
    </Box>
  )
}

interface RuleProps {
  readonly columns: number
  readonly title: string
  readonly isChosen: boolean
  /** What stands beside the title. */
  readonly beside?: readonly Part[]
  readonly right: string
}

/** A rule with a title, by which a pane begins. What has no room is left out, the numbers last. */
export function Rule({ columns, title, isChosen, beside = [], right }: RuleProps) {
  const end = right === '' ? '──' : ` ${right} ──`
  const bare = columns - stringWidth(`── ${title} ${end}`)
  const fill = bare - stringWidth(beside.map(({ text }) => text).join(''))
  const shown: Part = { text: title, bold: isChosen, dimColor: !isChosen }
  if (bare < 2)
    return <Line columns={columns} parts={[shown, { text: ` ${right}`, dimColor: true }]} />
  const rest = ` ${'─'.repeat(fill < 0 ? bare : fill)}${end}`
  return (
    <Line
      columns={columns}
      parts={[
        { text: '── ', dimColor: true },
        shown,
        ...(fill < 0 ? [] : beside),
        { text: rest, dimColor: true },
      ]}
    />
  )
}
