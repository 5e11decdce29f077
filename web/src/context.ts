import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Api } from './source/api.ts'
import type { Connection, Hint, Source } from './source/source.ts'

/** What every view needs: where data comes from, and news of it. */
export interface Connected {
  readonly source: Source
  readonly connection: Connection
  onHint(listener: (hint: Hint) => void): () => void
}

export const ConnectedContext = createContext<Connected | null>(null)

export function useConnected(): Connected {
  const connected = useContext(ConnectedContext)
  if (connected === null) throw new Error('There is no source yet.')
  return connected
}

/** Only in views that are shown for servers alone. */
export function useApi(): Api {
  const { api } = useConnected().source
  if (api === null) throw new Error('This view needs a server.')
  return api
}
