import { printableLines } from '../terminal/index.ts'

/** How many different messages are kept. */
const messagesMax = 100

/**
 * Keeps what anything writes to a stderr that is the terminal, such as a warning, from spoiling the screen.
 * Answers with what lets go of it, and writes then what was said, each message once.
 */
export function holdStderr(stderr: NodeJS.WriteStream): () => void {
  if (!stderr.isTTY) return () => {}
  const messages = new Set<string>()
  const { write } = stderr
  stderr.write = (chunk: Uint8Array | string, ...rest: unknown[]): boolean => {
    if (messages.size < messagesMax) messages.add(Buffer.from(chunk as string).toString())
    for (const each of rest) if (typeof each === 'function') each()
    return true
  }
  return () => {
    stderr.write = write
    for (const message of messages) stderr.write(printableLines(message))
    messages.clear()
  }
}
