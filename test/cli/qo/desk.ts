import assert from 'node:assert/strict'
import { qo } from '../../../src/cli/qo.ts'
import { type Handler, Queue, type Task, Worker } from '../../../src/queue/index.ts'
import type { Store } from '../../../src/store/index.ts'
import { newDirectory, newMemory, ProgramDesk } from '../desk.ts'

export { cleanUp, newDirectory } from '../desk.ts'

/** Someone who works with `qo` on one store, within this process. */
export class Desk extends ProgramDesk {
  declare readonly url: string

  constructor(url: string, directory: string) {
    super(qo, url, directory)
  }

  /** Transcripts may ask for another directory; a queue does not care. */
  in(_path: string): Desk {
    return this
  }

  qo(...args: string[]): Promise<string> {
    return this.out(...args)
  }

  /** The task that `qo submit` makes. */
  async submit(...args: string[]): Promise<Task> {
    const { v, kind, data } = await this.json('submit', ...args)
    assert.deepEqual({ v, kind }, { v: 1, kind: 'task' })
    return data
  }

  async status(id: string): Promise<Task> {
    return (await this.json('status', id)).data
  }

  withQueue<T>(use: (queue: Queue, store: Store) => Promise<T>): Promise<T> {
    return this.withStore((store) => use(new Queue(store), store))
  }

  /** Lets a worker run until these tasks have ended. */
  work(
    ids: readonly string[],
    handlers: Readonly<Record<string, Handler<never>>>,
  ): Promise<Task[]> {
    return this.withQueue(async (queue, store) => {
      await using worker = new Worker(store, { handlers, idleMsMax: 50, id: 'worker-1' })
      await worker.start()
      const signal = AbortSignal.timeout(120_000)
      const ended = await Promise.all(ids.map((id) => queue.wait(id, { signal })))
      await worker.stop()
      await queue.close()
      return ended
    })
  }

  /** A task that has ended in this status. */
  async ended(status: 'completed' | 'failed', type = 'work'): Promise<Task> {
    const { id } = await this.submit('--type', type, '--retries', '0')
    const run = () => {
      if (status === 'failed') throw new Error('out of order')
      return 'done'
    }
    const [task] = await this.work([id], { [type]: run })
    assert.equal(task?.status, status)
    return task as Task
  }

  /** Overwrites what is stored of a task, as a crash of a disk or another program might. */
  overwrite(id: string, text: string): Promise<void> {
    return this.overwriteKey(`qo/tasks/${id.charAt(0)}/${id}.json`, () => Buffer.from(text))
  }
}

export const memoryDesk = (): Desk => new Desk(newMemory(), newDirectory())

/** An id that is nobody's. */
export const nobody = '0190a8c3-1f20-8b1e-9d3c-5a6f00112233'

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
