import { Box, Text, useInput } from 'ink'
import { useSyncExternalStore } from 'react'
import type { Controller } from './controller.ts'
import { HelpView } from './help-view.tsx'
import { commandsOf } from './keys.ts'
import { Coloured } from './line.tsx'
import { PickerView } from './picker-view.tsx'
import type { Places } from './session-head.tsx'
import { SessionView } from './session-view.tsx'
import type { MonitorState } from './state.ts'

interface AppProps {
  readonly controller: Controller
  readonly places: Places
  readonly isColoured: boolean
  readonly onQuit: () => void
  readonly onSuspend: () => void
}

/** What the monitor shows, and what its keys do. */
export function App({ controller, places, isColoured, onQuit, onSuspend }: AppProps) {
  const state = useSyncExternalStore(controller.subscribe, controller.drawn)
  useInput((input, key) => {
    for (const command of commandsOf(input, key))
      if (command === 'quit') onQuit()
      else if (command === 'suspend') onSuspend()
      else controller.dispatch({ type: 'command', command })
  })
  return (
    <Coloured.Provider value={isColoured}>
      <Screen state={state} places={places} />
    </Coloured.Provider>
  )
}

/** On a narrower terminal nothing can be told. */
const columnsMin = 8

/** A state on a terminal of its size. */
export function Screen({ state, places }: { state: MonitorState; places: Places }) {
  const { screen, session, size, isHelp } = state
  if (size.columns < columnsMin) return <Text>…</Text>
  return (
    <Box flexDirection="column" width={size.columns} height={size.rows} overflow="hidden">
      {isHelp ? (
        <HelpView size={size} />
      ) : screen === 'session' && session ? (
        <SessionView state={state} session={session} places={places} />
      ) : (
        <PickerView state={state} places={places} />
      )}
    </Box>
  )
}
