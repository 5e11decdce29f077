import type { Painter } from './painter.ts'

/** How long after a signal that did not stop the process the monitor is shown again. */
const unstoppedMs = 100

/**
 * Gives the terminal back to the shell and takes it again, as Ctrl-Z and `fg` do for any program. In raw mode the
 * terminal leaves that to the program.
 */
export class Suspension {
  readonly #painter: Painter
  readonly #stdin: NodeJS.ReadStream
  #timer: NodeJS.Timeout | undefined

  constructor(painter: Painter, stdin: NodeJS.ReadStream) {
    this.#painter = painter
    this.#stdin = stdin
    // Also after a SIGSTOP, of which no program hears: meanwhile the shell has used the terminal.
    process.on('SIGCONT', this.#resume)
  }

  suspend(): void {
    if (process.platform === 'win32') return
    this.#painter.close()
    this.#stdin.setRawMode(false)
    // To the whole job, as the terminal would.
    process.kill(0, 'SIGTSTP')
    // A process without a shell to wait for it is not stopped, and never hears that it goes on.
    this.#timer = setTimeout(this.#resume, unstoppedMs)
  }

  release(): void {
    clearTimeout(this.#timer)
    process.off('SIGCONT', this.#resume)
  }

  readonly #resume = (): void => {
    clearTimeout(this.#timer)
    // First: in the background this stops the process again, before it draws over what is in front.
    this.#stdin.setRawMode(true)
    this.#painter.close()
    this.#painter.open()
    // Of a new size only who is in front is told.
    process.kill(process.pid, 'SIGWINCH')
  }
}
