import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { holdfast } from '../../../src/cli/holdfast.ts'
import { type Outcome, run, type Setting } from '../terminal.ts'

/** Someone who works with `holdfast` in a folder of their own, which is gone afterwards. */
export class Desk implements Disposable {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-desk-')))

  path(name: string): string {
    return join(this.folder, name)
  }

  write(name: string, text: string | Uint8Array): string {
    const path = this.path(name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
    return path
  }

  run(args: readonly string[], setting: Setting = {}): Promise<Outcome> {
    const env = { HOME: this.path('home'), ...setting.env }
    return run(holdfast, args, { cwd: this.folder, ...setting, env })
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
