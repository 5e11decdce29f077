import { isLoss } from '../error.ts'
import type { Repository } from '../repository.ts'
import type { Command } from '../step.ts'
import type { Task } from '../task.ts'
import type { Execution } from './execution.ts'
import { endOf } from './outcome.ts'
import type { Workshop } from './workshop.ts'

/** A last word on an attempt. */
export interface LastWord {
  readonly leaseId: string
  readonly id: string
  readonly command: Command
}

/** What became of one: the task as it is then, or why not. Errors lose their class on the way from a thread. */
export type Heard = { readonly task: Task } | { readonly isLost: boolean; readonly why: string }

/** Writes the last words, all at once. Never throws. */
export const sayAll = (repository: Repository, words: readonly LastWord[]): Promise<Heard[]> =>
  Promise.all(
    words.map(({ id, command }) =>
      repository.change(id, command).then(
        ({ after }) => ({ task: after }),
        (error: unknown) => ({ isLost: isLoss(error), why: wordsOf(error) }),
      ),
    ),
  )

/** The same, at another time. */
export const saidAt = (word: LastWord, nowMs: number): LastWord => {
  const [name, command] = word.command
  return { ...word, command: [name, { ...command, nowMs }] as Command }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Gives back the tasks of handlers that take no notice of being aborted, right before the process exits. Where there is a
 * thread it does so while this one stands still, so that no handler goes on once another worker may have its task. Never throws.
 */
export async function handOver(shop: Workshop, left: () => readonly Execution[]): Promise<void> {
  // The thread asks the store: here the answer may take as long as a handler blocks.
  const nowMs = shop.guard?.canTell ? Date.now() : await timeOf(shop)
  // Only now, for some may have ended meanwhile.
  const executions = left()
  const words: LastWord[] = []
  for (const execution of executions) {
    const { id, leaseId } = execution
    const command = execution.leave(nowMs)
    if (command) words.push({ id, leaseId, command })
  }
  const heard =
    shop.guard?.tellBlocking(words, shop.settings.id) ?? (await sayAll(shop.repository, words))
  for (const [at, { leaseId, command }] of words.entries()) {
    const execution = executions.find((each) => each.leaseId === leaseId) as Execution
    const what = heard[at] ?? { isLost: false, why: 'it took too long.' }
    if ('task' in what) shop.finished(execution, what.task, endOf(command, what.task))
    else if (what.isLost) shop.lost(execution)
    else shop.notFinished(execution, new Error(what.why))
  }
}

/** Where the store does not tell it is away, and all that follows fails with what tells why. */
async function timeOf({ now }: Workshop): Promise<number> {
  try {
    return await now()
  } catch {
    return Date.now()
  }
}
