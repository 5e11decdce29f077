import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const pollMs = 20
/** What was killed is gone soon, unless the system holds it. */
const killedMsMax = 2_000

/** Groups that have not ended yet. */
const living = new Set<ProcessGroup>()

/** A process that leads a group of its own, and all that it started and that stayed in the group. */
export class ProcessGroup {
  readonly #id: number

  /** `id` is that of the leader. */
  constructor(id: number) {
    this.#id = id
    living.add(this)
  }

  /** Whether nothing runs in it any more. */
  get isEmpty(): boolean {
    try {
      process.kill(-this.#id, 0)
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ESRCH'
    }
    return !hasLiving(this.#id)
  }

  /** Asks it to end, kills what is left after a while, and returns when it is empty. */
  async end(graceMs: number): Promise<void> {
    if (graceMs > 0) {
      this.#signal('SIGTERM')
      await this.untilEmpty(graceMs)
    }
    this.kill()
    await this.untilEmpty(killedMsMax)
    living.delete(this)
  }

  /** Returns when it is empty, or after so long. */
  async untilEmpty(ms: number): Promise<boolean> {
    const until = performance.now() + ms
    for (;;) {
      if (this.isEmpty) {
        living.delete(this)
        return true
      }
      if (performance.now() >= until) return false
      await sleep(pollMs)
    }
  }

  kill(): void {
    this.#signal('SIGKILL')
  }

  #signal(name: NodeJS.Signals): void {
    try {
      process.kill(-this.#id, name)
    } catch {
      // It is empty already.
    }
  }
}

/** Kills all groups at once, for a process that is about to end without waiting for them. */
export function killGroups(): void {
  for (const group of living) group.kill()
}

/**
 * Where nobody collects the dead, as in a container without an init, they stay in their group for ever. They are
 * known by their state where the system shows it.
 */
function hasLiving(id: number): boolean {
  let names: string[]
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return true
  }
  return names.some((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return group === String(id) && state !== 'Z' && state !== 'X'
    } catch {
      // It has ended meanwhile.
      return false
    }
  })
}
