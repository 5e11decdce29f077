/** Thrown into a command whose output nobody reads any more; it unwinds like any failure, but is none. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone'
}

let failure: Error | undefined

/**
 * Writes a line for whoever reads the program's output. Throws once that is impossible: as `ReaderGone` where
 * the reader left, as in `holdfast demo | head -1`, so that a command stops early but still cleans up.
 */
export function say(text = ''): void {
  if (failure) throw failure
  process.stdout.write(`${text}\n`)
}

/** Waits for everything said to get out. Throws where it could not. */
export async function flushed(): Promise<void> {
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
  if (failure) throw failure
}

/** Takes failures of stdout, which else end the process on the spot; call it before anything is said. */
export function guardOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    failure ??= error.code === 'EPIPE' ? new ReaderGone('Nobody reads the output.') : error
  })
  // Where nobody reads about failures either, the exit code is all there is to say.
  process.stderr.on('error', () => {})
}
