import assert from 'node:assert/strict'
import { coven } from '../../../src/cli/coven.ts'
import type { Task } from '../../../src/tree/index.ts'
import { nextMillisecond } from '../../eventually.ts'
import { newDirectory, newMemory, ProgramDesk } from '../desk.ts'

export { cleanUp, newDirectory } from '../desk.ts'

/** An agent that works with `coven` on one store in one directory, within this process. */
export class Desk extends ProgramDesk {
  readonly agent: string | null

  constructor(url: string | null, directory: string, agent: string | null = 'ann') {
    super(coven, url, directory)
    this.agent = agent
  }

  /** The same store from another directory, which is made where it is not there. */
  in(path: string): Desk {
    return new Desk(this.url, this.below(path), this.agent)
  }

  as(agent: string | null): Desk {
    return new Desk(this.url, this.directory, agent)
  }

  protected override environment(): Record<string, string> {
    const own = this.agent === null ? {} : { COVEN_AGENT_ID: this.agent }
    return { ...super.environment(), ...own }
  }

  coven(...args: string[]): Promise<string> {
    return this.out(...args)
  }

  /** `coven task …` that answers with one task. */
  async task(...args: string[]): Promise<Task> {
    const { v, kind, data } = await this.json('task', ...args)
    assert.deepEqual({ v, kind }, { v: 1, kind: 'task' })
    return data
  }

  /** Adds a task, later than the one before: processes hardly add two in the same millisecond, tests do. */
  async create(title: string, ...args: string[]): Promise<Task> {
    await nextMillisecond()
    return this.task('create', '--title', title, ...args)
  }

  /** A task that was claimed by this agent. */
  async claimed(title = 'Work', ...args: string[]): Promise<Task> {
    return this.task('claim', (await this.create(title, ...args)).id)
  }

  /** A task that is in this status. */
  async withStatus(status: string): Promise<Task> {
    if (status === 'open') return this.create('Work')
    const { id } = await this.claimed()
    if (status === 'blocked') return this.task('block', id)
    if (status === 'in_progress') return this.task('show', id)
    return this.task('complete', id, ...(status === 'closed' ? ['--skip-review'] : []))
  }

  /** Cuts off the end of what is stored of a task, as a crash of a disk might. */
  truncate(id: string): Promise<void> {
    return this.overwriteKey(`coven/tasks/${id}`, (value) => value.slice(0, 10))
  }
}

export const memoryDesk = (): Desk => new Desk(newMemory(), newDirectory())

/** An id that is nobody's. */
export const nobody = '01900000-0000-7000-8000-000000000000'
