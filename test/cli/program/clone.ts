import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Program } from '../../../src/cli/program/command.ts'
import { type Outcome, run } from '../terminal.ts'
import { trust } from '../trust.ts'

/** A repository that somebody has cloned and works in, with a home of their own. */
export class Clone implements Disposable {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-clone-')))

  constructor() {
    mkdirSync(this.path('repo/src'), { recursive: true })
  }

  get home(): string {
    return this.path('home')
  }

  path(name: string): string {
    return join(this.#root, name)
  }

  write(name: string, text: string): string {
    const path = this.path(name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }

  trust(file: string, home = this.home): Promise<void> {
    return trust(file, home)
  }

  run(
    program: Program,
    args: readonly string[],
    { env = {}, cwd = 'repo/src' }: { env?: Record<string, string>; cwd?: string } = {},
  ): Promise<Outcome> {
    return run(program, args, { cwd: this.path(cwd), env: { HOME: this.home, ...env }, stdin: '' })
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true })
  }
}

/** For a reason that names the file, and with nothing on stdout. */
export function assertRefused({ exit, stdout, stderr }: Outcome, file: string): void {
  assert.deepEqual({ exit, stdout }, { exit: 4, stdout: '' })
  assert.ok(stderr.includes(file), stderr)
}

/** Because it is not trusted. */
export function assertUntrusted(outcome: Outcome, file: string): void {
  assertRefused(outcome, file)
  assert.match(outcome.stderr, /is not trusted, and it sets .*"holdfast trust"/)
}
