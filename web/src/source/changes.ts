import type { Client } from '../../../src/client/index.ts'
import type { Connection, Hint, Model } from './source.ts'

/** How long to wait where the server refuses, such as while a token does not count. */
const refusedMs = 10_000

/** Follows the server's changes for as long as it is wanted. */
export function followChanges(
  client: Client,
  models: readonly Model[],
  onHint: (hint: Hint) => void,
  onConnection: (connection: Connection) => void,
): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const onLost = () => onConnection('lost')
  const run = async (): Promise<void> => {
    try {
      for await (const change of client.changes({ models, signal, onLost })) {
        onConnection('live')
        onHint({ model: change.type === 'resync' ? null : change.model })
      }
    } catch {
      onLost()
      setTimeout(() => signal.aborted || void run(), refusedMs)
    }
  }
  void run()
  return () => ending.abort()
}
