import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Starts a program whose reader leaves after the first words, as `head -1` does, and waits for its end. */
export async function runForLeavingReader(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ status: number | null; stderr: string }> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const [status] = await once(child, 'close')
  return { status, stderr }
}
