import type { Plans } from '../plan/internal.ts'

export interface MonitorOptions {
  readonly plans: Plans
  /** The session to show; null for a list of all. */
  readonly sid: string | null
  /** Where the user is: sessions of this directory are marked in the list. */
  readonly directory: string
  /** Both must be terminals. */
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
}

/**
 * Shows a session as it changes, until the user quits by `q` or Ctrl-C. It ends with the terminal as it was, and
 * leaves the store open for its owner. What is written to stderr meanwhile appears when it has ended.
 */
export async function monitor(options: MonitorOptions): Promise<void> {
  // Without it React runs slower, for developers, and remembers every drawing until the memory is full.
  process.env['NODE_ENV'] ??= 'production'
  const { onTerminal } = await import('./terminal.tsx')
  await onTerminal(options)
}
