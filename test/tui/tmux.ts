import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { until } from './watched.ts'

const run = promisify(execFile)

/** Variables under which programs behave as in a terminal of a person. */
const usual = { TERM: 'screen-256color', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', TZ: 'UTC' }

/** Each look at the screen is a process: what takes its time is looked for less often. */
const screenLookMs = (looks: number): number => Math.min(50 * 1.2 ** looks, 500)

/** What stands on the screen before the monitor starts. */
export const before = ['Something from', 'before']

/** A real terminal: a server of tmux of its own, gone with the test that started it. */
export class Tmux implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'holdfast-tmux-'))

  /** Starts a shell, in which programs can be run and left. */
  async start(columns = 80, rows = 24): Promise<void> {
    const size = ['-x', String(columns), '-y', String(rows)]
    try {
      await this.#tmux('-f', '/dev/null', 'new-session', '-d', ...size, "exec env PS1='$ ' sh")
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ENOENT') throw error
      throw new Error('These tests need tmux: apt-get install tmux', { cause: error })
    }
    await this.#tmux('set-option', '-g', 'default-terminal', 'screen-256color')
    await this.sees(/^\$ *$/m)
  }

  /** Runs the monitor as a program of its own, without the variables of the test run. */
  async monitor(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const script = fileURLToPath(new URL('../../.tools/test/processes/monitor.js', import.meta.url))
    const variables = Object.entries({ ...usual, ...env }).map(
      ([name, value]) => `${name}=${value}`,
    )
    const kept = `PATH="$PATH" HOME=/nonexistent ${variables.join(' ')}`
    const command = [process.execPath, script, ...args].map((each) => `'${each}'`).join(' ')
    const print = `printf '%s\\n' ${before.map((line) => `'${line}'`).join(' ')}`
    await this.type(`clear; ${print}; env -i ${kept} ${command}; echo "exit $?"`, 'Enter')
  }

  /** Keys by the names that tmux has for them; anything else as it is. */
  async type(...keys: string[]): Promise<void> {
    await this.#tmux('send-keys', ...keys)
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux('resize-window', '-x', String(columns), '-y', String(rows))
  }

  /** From now on all that programs write to the terminal is also added to a file. */
  async record(path: string): Promise<void> {
    await this.#tmux('pipe-pane', '-O', `exec cat >> '${path}'`)
  }

  /** Sends a signal to what runs in the shell. */
  async signal(name: string): Promise<void> {
    const shell = (await this.#tmux('display-message', '-p', '#{pane_pid}')).trim()
    const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', shell])
    await run('kill', ['-s', name, stdout.trim()])
  }

  /** What is on the screen now, with its colours or what has scrolled away if asked for. */
  screen({ coloured = false, scrolled = false } = {}): Promise<string> {
    const options = [...(coloured ? ['-e'] : []), ...(scrolled ? ['-S', '-'] : [])]
    return this.#tmux('capture-pane', '-p', ...options)
  }

  /** Waits until this is on the screen. */
  async sees(what: RegExp): Promise<string> {
    let screen = ''
    try {
      const look = async () => {
        screen = await this.screen()
        return what.test(screen) && screen
      }
      return await until(`${what} on the screen`, look, screenLookMs)
    } catch (error) {
      throw new Error(`${(error as Error).message}:\n${screen}`, { cause: error })
    }
  }

  /** Whether the alternate screen is left and the cursor shown. */
  async isClean(): Promise<boolean> {
    const flags = await this.#tmux('display-message', '-p', '#{alternate_on} #{cursor_flag}')
    return flags.trim() === '0 1'
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux('kill-server').catch(() => {})
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #tmux(...args: string[]): Promise<string> {
    return (await run('tmux', ['-S', join(this.#folder, 'socket'), ...args])).stdout
  }
}

export async function startTmux(columns?: number, rows?: number): Promise<Tmux> {
  const tmux = new Tmux()
  try {
    await tmux.start(columns, rows)
    return tmux
  } catch (error) {
    await tmux[Symbol.asyncDispose]()
    throw error
  }
}
