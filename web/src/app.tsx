import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ConnectBucket, ConnectServer } from './connect.tsx'
import { type Connected, ConnectedContext } from './context.ts'
import { Shell } from './shell.tsx'
import { FailureBox, Loading } from './show/notice.tsx'
import { type Failure, outcomeOf } from './source/failure.ts'
import { connectServer } from './source/server.ts'
import type { Connection, Hint, Source } from './source/source.ts'

type Stage =
  | { readonly name: 'looking' }
  | { readonly name: 'failed'; readonly failure: Failure }
  | { readonly name: 'token' }
  | { readonly name: 'bucket' }
  | { readonly name: 'connected'; readonly source: Source }

/** Where the page came from. */
const address = () => new URL('/', location.href)

/** Finds out what the page was loaded from, asks for what that needs, and then shows it. */
export function App() {
  const [stage, setStage] = useState<Stage>({ name: 'looking' })
  const look = useCallback(async () => {
    setStage({ name: 'looking' })
    const found = await outcomeOf(() => connectServer(address(), null))
    if ('value' in found)
      setStage(found.value ? { name: 'connected', source: found.value } : { name: 'bucket' })
    else if (found.failure.kind === 'unauthorized') setStage({ name: 'token' })
    else setStage({ name: 'failed', failure: found.failure })
  }, [])
  useEffect(() => void look(), [look])
  const connected = (source: Source) => setStage({ name: 'connected', source })
  if (stage.name === 'connected')
    return <Live source={stage.source} onLeave={() => setStage({ name: 'bucket' })} />
  return (
    <main class="alone">
      {stage.name === 'looking' && <Loading what="the page" />}
      {stage.name === 'failed' && (
        <FailureBox failure={stage.failure} onAgain={() => void look()} />
      )}
      {stage.name === 'token' && <ConnectServer address={address()} onSource={connected} />}
      {stage.name === 'bucket' && <ConnectBucket onSource={connected} />}
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
