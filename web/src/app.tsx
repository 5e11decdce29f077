import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ConnectBucket, ConnectServer } from './connect.tsx'
import { type Connected, ConnectedContext } from './context.ts'
import { Shell } from './shell.tsx'
import { FailureBox, Loading } from './show/notice.tsx'
import { type Failure, failureOf } from './source/failure.ts'
import { connectServer } from './source/server.ts'
import type { Connection, Hint, Source } from './source/source.ts'

type Stage =
  | { readonly name: 'looking' }
  | { readonly name: 'failed'; readonly failure: Failure }
  | { readonly name: 'token'; readonly isWrong: boolean }
  | { readonly name: 'bucket' }
  | { readonly name: 'connected'; readonly source: Source }

/** Finds out what the page was loaded from, asks for what that needs, and then shows it. */
export function App() {
  const [stage, setStage] = useState<Stage>({ name: 'looking' })
  const look = useCallback(async (token: string | null) => {
    try {
      const source = await connectServer(new URL('/', location.href), token)
      setStage(source ? { name: 'connected', source } : { name: 'bucket' })
    } catch (error) {
      const failure = failureOf(error)
      setStage(
        failure.kind === 'unauthorized'
          ? { name: 'token', isWrong: token !== null }
          : { name: 'failed', failure },
      )
    }
  }, [])
  useEffect(() => void look(null), [look])
  if (stage.name === 'connected')
    return <Live source={stage.source} onLeave={() => setStage({ name: 'bucket' })} />
  return (
    <main class="alone">
      {stage.name === 'looking' && <Loading what="what this page belongs to" />}
      {stage.name === 'failed' && (
        <FailureBox failure={stage.failure} onAgain={() => void look(null)} />
      )}
      {stage.name === 'token' && (
        <ConnectServer isWrong={stage.isWrong} onToken={(token) => void look(token)} />
      )}
      {stage.name === 'bucket' && (
        <ConnectBucket onSource={(source) => setStage({ name: 'connected', source })} />
      )}
    </main>
  )
}

/** Everything below hears of changes from here. */
function Live({ source, onLeave }: { source: Source; onLeave: () => void }) {
  const [connection, setConnection] = useState<Connection>(
    source.kind === 'bucket' ? 'polling' : 'lost',
  )
  const listeners = useRef(new Set<(hint: Hint) => void>())
  useEffect(
    () =>
      source.follow((hint) => {
        for (const listener of listeners.current) listener(hint)
      }, setConnection),
    [source],
  )
  const onHint = useCallback((listener: (hint: Hint) => void) => {
    listeners.current.add(listener)
    return () => void listeners.current.delete(listener)
  }, [])
  const connected = useMemo<Connected>(
    () => ({ source, connection, onHint }),
    [source, connection, onHint],
  )
  return (
    <ConnectedContext.Provider value={connected}>
      <Shell onLeave={onLeave} />
    </ConnectedContext.Provider>
  )
}
