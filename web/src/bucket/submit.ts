import { checkSubmission } from '../../../src/queue/checks.ts'
import { idMaker } from '../../../src/queue/id.ts'
import { signalShard } from '../../../src/queue/signal.ts'
import { newTask, type Task } from '../../../src/queue/task.ts'
import { timeOf } from '../../../src/queue/time.ts'
import { storeNow } from '../clock.ts'
import { Failure } from '../source/failure.ts'
import type { Draft } from '../source/source.ts'
import { create } from './act.ts'
import type { Client } from './client.ts'

/** What is larger lies beside the task, which is for the program to write. */
const inputBytesMax = 65_536

const newId = idMaker()

/** Submits a task as the queue does, by its own checks. */
export async function submit(client: Client, draft: Draft): Promise<Task> {
  const bytes = new TextEncoder().encode(JSON.stringify(draft.input)).byteLength
  if (bytes > inputBytesMax)
    throw new Failure(
      'invalid',
      `The input has ${bytes.toLocaleString('en')} bytes; this page submits at most ${inputBytesMax.toLocaleString('en')}.`,
      'Use qo submit.',
    )
  const checked = checkedOf(draft)
  // Counted from what the store's clock says, as countdowns are.
  const nowMs = Math.round(storeNow())
  const shard = signalShard(nowMs + checked.delayMs)
  const task = newTask({
    ...checked.given,
    id: newId({ timeMs: nowMs, type: checked.given.task_type, shard }),
    available_at: timeOf(nowMs + checked.delayMs),
    input: draft.input,
    input_ref: null,
    created_at: timeOf(nowMs),
  })
  await create(client, task)
  return task
}

function checkedOf({ type, delaySeconds, maxRetries, timeoutSeconds }: Draft) {
  try {
    return checkSubmission({
      type,
      ...(delaySeconds === null ? {} : { delayMs: delaySeconds * 1000 }),
      ...(maxRetries === null ? {} : { maxRetries }),
      ...(timeoutSeconds === null ? {} : { timeoutMs: timeoutSeconds * 1000 }),
    })
  } catch (error) {
    const { what, next } = error as { what?: string; next?: string }
    throw new Failure('invalid', what ?? (error as Error).message, next ?? 'Correct it.')
  }
}
