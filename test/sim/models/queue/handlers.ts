import {
  type HandlerContext,
  PermanentError,
  type TypedHandler,
} from '../../../../src/queue/index.ts'
import type { Scene } from '../../model.ts'
import { Random } from '../../random.ts'
import type { Attempt, Employee } from './employee.ts'
import type { QueueOracle } from './oracle.ts'
import type { Stored } from './stored.ts'

export interface Tools {
  readonly scene: Scene
  readonly oracle: QueueOracle
}

/** What a task is to do to its handlers: which may be something else in each attempt. */
interface Input {
  readonly mark: string
  readonly dice: number
}

const behaviors = {
  instant: 12,
  work: 30,
  fail: 12,
  failAtOnce: 5,
  permanent: 3,
  overrun: 6,
  stubborn: 4,
  finishLate: 3,
  block: 4,
  extend: 4,
} as const
type Behavior = keyof typeof behaviors

/** One run of a handler. */
interface Run {
  readonly tools: Tools
  readonly employee: Employee
  readonly attempt: Attempt
  readonly context: HandlerContext
  readonly random: Random
}

class Aborted extends Error {}

/** The handlers of a worker, one for each of its types. */
export const handlersOf = (tools: Tools, employee: Employee): TypedHandler[] =>
  employee.types.map((type) => ({
    type,
    endMs: employee.endMs,
    run: (input: Input, context: HandlerContext) => handle(tools, employee, input, context),
  }))

/** Some give a promise, some do not. */
function handle(tools: Tools, employee: Employee, input: Input, context: HandlerContext): unknown {
  const { oracle, scene } = tools
  const { task } = context
  const attempt = oracle.attempts.began(task, oracle.tasks.get(task.id))
  if (task.input && input.mark !== oracle.tasks.get(task.id)?.input?.mark)
    oracle.violated(`the handler of ${task.id} was given the input ${input.mark}`)
  const random = new Random(input.dice * 64 + task.attempt)
  const behavior = random.weighted(behaviors)
  scene.note(employee.process, () => `handler of ${task.id}, attempt ${task.attempt}: ${behavior}`)
  const run: Run = { tools, employee, attempt, context, random }
  if (behavior === 'instant') return returned(run)
  if (behavior === 'failAtOnce') return thrown(run)
  listen(run)
  return act[behavior](run).then(
    () => returned(run),
    (error: unknown) => {
      if (error instanceof Aborted || error === run) return thrown(run)
      throw error
    },
  )
}

const act: Readonly<
  Record<Exclude<Behavior, 'instant' | 'failAtOnce'>, (run: Run) => Promise<void>>
> = {
  work: (run) => heeding(run, run.random.logarithmic(10, 8_000)),
  async fail(run) {
    await heeding(run, run.random.logarithmic(1, 500))
    throw run
  },
  async permanent(run) {
    await heeding(run, run.random.logarithmic(1, 500))
    run.attempt.isPermanent = true
    throw run
  },
  overrun: (run) => heeding(run, run.attempt.timeoutMs * (1 + run.random.next())),
  /** Takes no notice of being aborted. */
  stubborn: (run) =>
    pause(
      run,
      run.attempt.timeoutMs * (0.5 + run.random.next()) + run.random.logarithmic(1, 20_000),
    ),
  /** Is done soon after it was aborted, all the same. */
  async finishLate(run) {
    await heeding(run, run.attempt.timeoutMs * 1.5).catch(() => pause(run, run.random.int(1, 800)))
  },
  /** Holds the event loop. */
  async block(run) {
    run.attempt.isBlocking = true
    for (const other of run.employee.running) other.isBlocking = true
    run.employee.process.block(run.random.logarithmic(10, 8_000))
    await pause(run, 0)
  },
  async extend(run) {
    const ms = run.random.int(500, 4_000)
    run.attempt.isExtended = true
    await heeding(run, run.attempt.timeoutMs * 0.5)
    await run.context.extend(ms).catch(() => {})
    run.context.progress(0.5)
    await heeding(run, run.attempt.timeoutMs * 0.5 + ms * run.random.next())
  },
}

function returned({ tools, attempt }: Run): { by: string } {
  attempt.hasReturned = true
  tools.oracle.attempts.ended(attempt)
  return { by: attempt.leaseId }
}

function thrown({ tools, attempt }: Run): never {
  attempt.thrown = `attempt ${attempt.leaseId} has failed`
  tools.oracle.attempts.ended(attempt)
  throw attempt.isPermanent ? new PermanentError(attempt.thrown) : new Error(attempt.thrown)
}

/** In virtual time; what is left of a process that exits goes on no more. */
const pause = ({ employee, tools }: Run, ms: number): Promise<void> =>
  new Promise((resolve) => {
    tools.scene.world.after(ms, employee.process, () => {
      if (!employee.isExited) resolve()
    })
  })

/** Ends early when it is aborted. */
async function heeding(run: Run, ms: number): Promise<void> {
  const { signal } = run.context
  if (signal.aborted) throw new Aborted()
  await Promise.race([
    pause(run, ms),
    new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(new Aborted()), { once: true }),
    ),
  ])
}

/** Whoever is aborted is told why, and that is so. */
function listen({ tools: { oracle, scene }, attempt, employee, context: { signal } }: Run): void {
  const heed = () => {
    attempt.abortedAt = scene.world.nowMs
    const why = (signal.reason as Error).cause
    const stored = oracle.tasks.get(attempt.id) as Stored
    const isHeld = stored.lease_id === attempt.leaseId
    const flaw = flawOf(why, attempt, { isHeld, employee, now: scene.world.nowMs })
    if (flaw) oracle.violated(`the handler of ${attempt.id} was aborted (${why}), but ${flaw}`)
  }
  if (signal.aborted) heed()
  else signal.addEventListener('abort', heed, { once: true })
}

function flawOf(
  why: unknown,
  attempt: Attempt,
  { isHeld, employee, now }: { isHeld: boolean; employee: Employee; now: number },
): string | null {
  if (why === 'timeout')
    return now - Number(attempt.beganAt) < attempt.timeoutMs - 1 ? 'its time is not over' : null
  if (why === 'cancelled') return attempt.cancelAskedAt === null ? 'nobody has cancelled it' : null
  if (why === 'shutdown') return employee.stoppingAt === null ? 'nobody told it to stop' : null
  return isHeld ? 'its lease is its own' : null
}
