import type { Process } from './process.ts'
import type { World } from './world.ts'

/** What happened, one line each; only where somebody wants to read it. */
export class Trace {
  readonly lines: string[] = []
  readonly isOn: boolean
  #world: World | null = null

  constructor(isOn: boolean) {
    this.isOn = isOn
  }

  begin(world: World): void {
    this.#world = world
  }

  note(process: Process | null, line: () => string): void {
    if (!this.isOn) return
    const seconds = ((this.#world?.nowMs ?? 0) / 1000).toFixed(3).padStart(9)
    this.lines.push(`${seconds} s  ${(process?.name ?? '-').padEnd(12)} ${line()}`)
  }
}
