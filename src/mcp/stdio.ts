import { serveStdio as serve } from '@modelcontextprotocol/server/stdio'
import { mcpServer } from './server.ts'
import type { Workplace } from './tool.ts'

/** Speaks with one client over this process's stdin and stdout, until it leaves or the signal is aborted. */
export async function serveStdio(
  workplace: Workplace,
  { version, signal, log }: { version: string; signal: AbortSignal; log: (line: string) => void },
): Promise<void> {
  // Each answer under way listens for what becomes of it, and a client may ask for many at once.
  process.stdout.setMaxListeners(0)
  const handle = serve(() => mcpServer(workplace, { version }), {
    // A client that has left needs no answers.
    onerror: (error) =>
      'code' in error && error.code === 'EPIPE' ? undefined : log(error.message),
  })
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await handle.close()
}
