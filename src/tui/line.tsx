// Written in JSX: it takes one line of tsconfig.json, and trees of createElement() calls are hard to read.
import { Box, Text, type TextProps } from 'ink'
import { createContext, type ReactNode, useContext } from 'react'
import stringWidth from 'string-width'
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

/** One line, cut where it is too long. */
export const Line = ({ children }: { readonly children: ReactNode }) => (
  <Box height={1} flexShrink={0} overflow="hidden">
    <Text wrap="truncate">{children}</Text>
  </Box>
)

interface EndsProps {
  readonly left: ReactNode
  readonly right: ReactNode
}

/** One line with something at either end; the left one is cut where both have no room. */
export const Ends = ({ left, right }: EndsProps) => (
  <Box height={1} flexShrink={0} overflow="hidden" justifyContent="space-between">
    <Box flexShrink={1} overflow="hidden">
      <Text wrap="truncate">{left}</Text>
    </Box>
    <Box flexShrink={0} paddingLeft={1}>
      <Text wrap="truncate">{right}</Text>
    </Box>
  </Box>
)

interface RuleProps {
  readonly columns: number
  readonly title: string
  readonly isChosen: boolean
  /** What stands beside the title, as it is and as it is drawn. */
  readonly beside?: { readonly text: string; readonly drawn: ReactNode } | undefined
  readonly right: string
}

/** A rule with a title, by which a pane begins. What has no room is left out, the numbers last. */
export function Rule({ columns, title, isChosen, beside, right }: RuleProps) {
  const end = right === '' ? '──' : ` ${right} ──`
  const bare = columns - stringWidth(`── ${title} ${end}`)
  const fill = bare - stringWidth(beside?.text ?? '')
  const drawnTitle = (
    <Text bold={isChosen} dimColor={!isChosen}>
      {title}
    </Text>
  )
  if (bare < 2)
    return (
      <Line>
        {drawnTitle} <Text dimColor>{right}</Text>
      </Line>
    )
  return (
    <Line>
      <Text dimColor>── </Text>
      {drawnTitle}
      {fill < 0 ? '' : beside?.drawn}
      <Text dimColor>{` ${'─'.repeat(fill < 0 ? bare : fill)}${end}`}</Text>
    </Line>
  )
}
