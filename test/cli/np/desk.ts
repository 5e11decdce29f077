import assert from 'node:assert/strict'
import { np } from '../../../src/cli/np.ts'
import type { Goal, PlanEvent, PlanTask, Session } from '../../../src/plan/index.ts'
import { newDirectory, newMemory, ProgramDesk } from '../desk.ts'

export { cleanUp, newDirectory } from '../desk.ts'

interface PlanData {
  readonly session: Session
  readonly goal: Goal | null
  readonly tasks: readonly PlanTask[]
  readonly next: string | null
}

/** An agent that works with `np` on one store in one directory, within this process. */
export class Desk extends ProgramDesk {
  declare readonly url: string

  constructor(url: string, directory: string) {
    super(np, url, directory)
  }

  /** The same store from another directory, which is made where it is not there. */
  in(path: string): Desk {
    return new Desk(this.url, this.below(path))
  }

  /** What is printed by a command that must succeed and have nothing to remark. */
  override async out(...args: string[]): Promise<string> {
    const { exit, stdout, stderr } = await this.run(args)
    assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' })
    return stdout
  }

  np(...args: string[]): Promise<string> {
    return this.out(...args)
  }

  async plan(...args: string[]): Promise<PlanData> {
    const { v, kind, data } = await this.json(...args)
    assert.deepEqual({ v, kind }, { v: 1, kind: 'plan' })
    return data
  }

  async start(): Promise<Session> {
    return (await this.json('s')).data
  }

  /** Starts a session with a goal and tasks of these titles; answers with the ids. */
  async begin(...titles: string[]): Promise<string[]> {
    await this.start()
    await this.np('g', 's', '-t', 'Ship')
    if (titles.length === 0) return []
    const { tasks } = await this.plan('t', 'a', ...titles.flatMap((title) => ['-t', title]))
    return tasks.map(({ id }) => id)
  }

  async events(): Promise<PlanEvent[]> {
    return (await this.json('e', '--all')).data
  }

  /** Cuts off the end of what is stored, as a crash of a disk might. */
  truncate(key: string): Promise<void> {
    return this.overwriteKey(key, (value) => value.slice(0, 10))
  }
}

export const memoryDesk = (): Desk => new Desk(newMemory(), newDirectory())

/** The last line that is printed. */
export const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) as string
