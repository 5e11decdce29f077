import { Box } from 'ink'
import stringWidth from 'string-width'
import { Footer } from './footer.tsx'
import { Line, Rule } from './line.tsx'
import type { Size } from './state.ts'

const keys: readonly (readonly [keys: string, does: string])[] = [
  ['↑ ↓  k j', 'scroll, or move in the list of sessions'],
  ['PgUp PgDn', 'by a page; also Ctrl-B Ctrl-U, Ctrl-F Ctrl-D'],
  ['g G', 'to the first, to the last; also Home and End'],
  ['tab', 'from the tasks to the events and back'],
  ['f', 'follow what happens'],
  ['l', 'the list of sessions, and back'],
  ['esc', 'from a session to the list; from elsewhere back'],
  ['enter', 'open the chosen session'],
  ['r', 'read the list again'],
  ['n', 'from an archived session to the new one there'],
  ['?', 'this help, and back'],
  ['Ctrl-Z', "suspend; 'fg' goes on"],
  ['q  Ctrl-C', 'quit'],
]

const keyColumns = Math.max(...keys.map(([key]) => stringWidth(key))) + 2

/** What the keys do. */
export function HelpView({ size: { columns, rows } }: { readonly size: Size }) {
  const hasFooter = rows >= 4
  return (
    <>
      <Rule columns={columns} title="Keys" isChosen right="" />
      <Box
        flexDirection="column"
        height={Math.max(0, rows - (hasFooter ? 2 : 1))}
        overflow="hidden"
      >
        {keys.map(([key, does]) => (
          <Line
            key={key}
            columns={columns}
            parts={[
              { text: ` ${key}${' '.repeat(keyColumns - stringWidth(key))}` },
              { text: does, dimColor: true },
            ]}
          />
        ))}
      </Box>
      {hasFooter && (
        <Footer
          columns={columns}
          {...{ away: null, problem: null, status: '' }}
          keys={[
            ['esc', 'back'],
            ['q', 'quit'],
          ]}
        />
      )}
    </>
  )
}
