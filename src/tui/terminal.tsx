import { EventEmitter } from 'node:events'
import { homedir } from 'node:os'
import { render } from 'ink'
import { canonicalPath } from '../plan/internal.ts'
import { App } from './app.tsx'
import { Controller } from './controller.ts'
import { Ending } from './ending.ts'
import { holdStderr } from './held-stderr.ts'
import type { MonitorOptions } from './monitor.ts'
import { Painter } from './painter.ts'
import { initialState } from './state.ts'
import { Suspension } from './suspension.ts'

/** Runs the monitor until somebody quits it; whatever ends it, the terminal is as it was before. */
export async function onTerminal(options: MonitorOptions): Promise<void> {
  const { plans, sid, directory, stdin, stdout } = options
  const painter = new Painter(stdout)
  const controller = new Controller(plans, initialState(sid, painter.size, Date.now()))
  const ending = new Ending(stdin, stdout)
  const releaseStderr = holdStderr(process.stderr)
  const restore = () => painter.close()
  const resized = () => {
    painter.forget()
    controller.dispatch({ type: 'resized', size: painter.size })
  }
  const suspension = new Suspension(painter, stdin)
  stdout.on('resize', resized)
  process.on('exit', restore)
  painter.open()
  try {
    const app = (
      <App
        controller={controller}
        places={{ home: homedir(), here: canonicalOr(directory) }}
        isColoured={(process.env['NO_COLOR'] ?? '') === ''}
        onQuit={() => ending.end()}
        onSuspend={() => suspension.suspend()}
      />
    )
    // Ink draws whole frames, which `debug` hands over as they are, and the painter puts them on the terminal.
    // Left to itself Ink erases the terminal with its history whenever a frame is as high as that.
    const frames = new Frames(painter) as unknown as NodeJS.WriteStream
    const common = { exitOnCtrlC: false, patchConsole: false, debug: true }
    const ink = render(app, { ...common, stdout: frames, stderr: frames, stdin })
    await Promise.race([ending.ended, ink.waitUntilExit()])
    ink.unmount()
  } finally {
    controller.stop()
    suspension.release()
    stdout.off('resize', resized)
    process.off('exit', restore)
    if (stdin.isTTY) stdin.setRawMode(false)
    painter.close()
    releaseStderr()
    ending.release()
  }
}

/** What Ink takes for its terminal. */
class Frames extends EventEmitter {
  readonly #painter: Painter

  constructor(painter: Painter) {
    super()
    this.#painter = painter
  }

  get columns(): number {
    return this.#painter.size.columns
  }

  readonly write = (frame: string): boolean => {
    this.#painter.paint(frame)
    return true
  }
}

const canonicalOr = (directory: string): string => {
  try {
    return canonicalPath(directory)
  } catch {
    return directory
  }
}
