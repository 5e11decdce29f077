import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Ids, isShown, type Step } from './transcript.ts'

const commandMsMax = 90_000
const eventuallyMsMax = 60_000

/** What a page needs beside an empty folder. */
export interface Setting {
  /** Texts of the page and what stands there in this run: addresses of servers, mostly. */
  readonly replace?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** Files that the page takes for granted. */
  readonly files?: Readonly<Record<string, string>>
  /** Parts of the checkout that are there by the same name. */
  readonly links?: readonly string[]
  /** What happens while a program of the page is looked at that shows what happens. */
  readonly meanwhile?: string
}

interface Outcome {
  readonly printed: string
  readonly exit: number | null
}

/** Programs that go on until they are told to end; what they print once they are there. */
const lasting: readonly { readonly command: RegExp; readonly ready: RegExp }[] = [
  { command: /\b(coven|holdfast) serve\b/, ready: /listens on/ },
  { command: /\bqo worker\b/, ready: /works on/ },
  { command: /\bcurl -N\b/, ready: /./ },
  { command: /\bqo (tail|monitor)\b(?!.*--once)/, ready: /^/ },
]

/**
 * A person who types what a page shows, one command after another: in a home of their own, with the programs of the
 * checkout. Variables and the working directory last from command to command.
 */
export class Session implements AsyncDisposable {
  /** A project in the person's home; the package is installed in it. */
  readonly folder: string
  readonly #home: string
  readonly #setting: Setting
  readonly #ids = new Ids()
  readonly #lasting: Lasting[] = []
  /** Where the server of this page listens, and where the page says that it does. */
  readonly #addresses = new Map<string, string>()

  constructor(setting: Setting = {}) {
    this.#home = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-docs-')))
    this.folder = join(this.#home, 'project')
    mkdirSync(join(this.folder, 'node_modules'), { recursive: true })
    symlinkSync(resolve('.'), join(this.folder, 'node_modules/holdfast'))
    this.#setting = setting
    for (const name of setting.links ?? []) symlinkSync(resolve(name), join(this.folder, name))
    writeFileSync(join(this.#home, '.curlrc'), 'silent\n')
    for (const [name, text] of Object.entries(setting.files ?? {}))
      writeFileSync(join(this.folder, name), text, { mode: 0o600 })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#lasting.map((each) => each.end()))
    rmSync(this.#home, { recursive: true, force: true })
  }

  async take({ command, shown }: Step): Promise<void> {
    const line = this.#inThisRun(command)
    const known = lasting.find((each) => each.command.test(line))
    if (known) return this.#leave(line, shown, known.ready)
    const { printed, exit } = await this.#eventually(line, shown)
    const told = `$ ${line}\n${printed}`
    if (shown === null) assert.equal(exit, 0, told)
    else
      assert.ok(isShown(shown, this.#inPage(printed)), `${told}\nis not as it is shown:\n${shown}`)
    if (shown !== null) this.#ids.learn(shown, this.#inPage(printed))
  }

  /** What a command prints that must succeed. */
  async printed(command: string): Promise<string> {
    const { printed, exit } = await this.#run(command)
    assert.equal(exit, 0, printed)
    return printed
  }

  /** Where programs run beside, what is shown may take a moment. */
  async #eventually(line: string, shown: string | null): Promise<Outcome> {
    for (const start = Date.now(); ; await sleep(100)) {
      const outcome = await this.#run(line)
      const isFine = shown === null || isShown(shown, this.#inPage(outcome.printed))
      const isLate = Date.now() - start > eventuallyMsMax
      if (isFine || isLate || this.#lasting.length === 0) return outcome
    }
  }

  /** Starts a program that lasts, and looks at it until it has printed what is shown. */
  async #leave(line: string, shown: string | null, ready: RegExp): Promise<void> {
    const started = new Lasting(this.#spawn(alone(line)))
    this.#lasting.push(started)
    await started.until((printed) => ready.test(printed))
    const [, address] = /http:\/\/(127\.0\.0\.1:\d+)/.exec(started.printed) ?? []
    const port = /\bcoven\b/.test(line) ? 7600 : 7700
    if (address !== undefined) this.#addresses.set(`localhost:${port}`, address)
    const { meanwhile } = this.#setting
    if (/curl -N/.test(line) && meanwhile) assert.equal((await this.#run(meanwhile)).exit, 0)
    if (shown !== null) await started.until((printed) => isShown(shown, this.#inPage(printed)))
  }

  async #run(line: string): Promise<Outcome> {
    const child = this.#spawn(
      `${line}\nexit=$?; { export -p; echo "cd '$PWD'"; } > ${this.#state}; exit $exit`,
    )
    const timer = setTimeout(() => killGroup(child, 'SIGKILL'), commandMsMax)
    const printed = await text(child)
    clearTimeout(timer)
    return { printed, exit: child.exitCode }
  }

  #spawn(script: string): ChildProcess {
    const { PATH = '' } = process.env
    const known = `set -a; if [ -e ${this.#state} ]; then . ${this.#state}; fi`
    return spawn('/bin/sh', ['-c', `${known}\n${script}`], {
      cwd: this.folder,
      env: {
        PATH: `${resolve('bin')}:${PATH}`,
        HOME: this.#home,
        PWD: this.folder,
        ...this.#setting.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
  }

  /** Each command has a shell of its own: what was set lasts by being written down here. */
  get #state(): string {
    return join(this.#home, '.state')
  }

  #inThisRun(command: string): string {
    const all = [...Object.entries(this.#setting.replace ?? {}), ...this.#addresses]
    const replaced = all.reduce((line, [page, real]) => line.replaceAll(page, real), command)
    return this.#ids.inCommand(replaced)
  }

  #inPage(printed: string): string {
    return printed.replaceAll(this.#home, '/home/me')
  }
}

class Lasting {
  readonly #child: ChildProcess
  /** Whether it has ended, and all that it printed was read. */
  #isOver = false
  printed = ''

  constructor(child: ChildProcess) {
    this.#child = child
    child.once('close', () => {
      this.#isOver = true
    })
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        this.printed += chunk
      })
  }

  async until(isSo: (printed: string) => boolean): Promise<void> {
    for (const start = Date.now(); !isSo(this.printed); await sleep(20)) {
      const isOver = this.#isOver || Date.now() - start > eventuallyMsMax
      assert.ok(!isOver, `it printed only:\n${this.printed}`)
    }
  }

  async end(): Promise<void> {
    const { exitCode, signalCode } = this.#child
    if (exitCode !== null || signalCode !== null) return
    const ended = new Promise((done) => this.#child.once('close', done))
    killGroup(this.#child, 'SIGTERM')
    const timer = setTimeout(() => killGroup(this.#child, 'SIGKILL'), 10_000)
    await ended
    clearTimeout(timer)
  }
}

/** A command that lasts, on a port that nobody else has, and in the foreground of its own shell. */
const alone = (line: string): string =>
  line
    .replace(/\s&\s*(#.*)?$/, '')
    .replace(/ --port \d+/, '')
    .replace(/\bserve\b(?!.*--socket)/, 'serve --port 0')

/** A shell and all that it started. */
function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-(pid as number), signal)
  } catch {
    // It has ended meanwhile.
  }
}

async function text(child: ChildProcess): Promise<string> {
  let all = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      all += chunk
    })
  await new Promise((done) => child.once('close', done))
  return all
}
