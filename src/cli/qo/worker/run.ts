import type { TypedHandler, Worker, WorkerEvent, WorkerOptions } from '../../../queue/internal.ts'
import type { Context } from '../../program/context.ts'
import { Ending } from '../../program/ending.ts'
import { Log } from '../log.ts'
import { metricsPortOf, serveMetrics } from '../metrics-server.ts'
import { library } from '../queue.ts'
import { firstLine } from '../row.ts'
import { openMeasured, queueUrl } from '../store.ts'
import { handlersOf } from './handlers.ts'
import { workerSettingsOf } from './settings.ts'

/** Runs a worker until it is asked to end, then ends it in good order. */
export async function runWorker(context: Context): Promise<void> {
  const log = await Log.of(context)
  const settings = await workerSettingsOf(context)
  const port = await metricsPortOf(context)
  const { checkWorkerId, killCommands, TaskGauges, Worker } = await library()
  if (settings.id !== undefined) checkWorkerId(settings.id)
  const handlers = await handlersOf(context)
  const options: WorkerOptions = {
    ...settings,
    handlers,
    url: await guardedUrl(context, handlers),
    onWarning: (warning) => log.warn(warning),
    onEvent: (event) => tellEvent(log, event),
  }
  await using store = await openMeasured(context, port)
  const gauges = new TaskGauges(store)
  const worker = new Worker(store, options)
  using ending = new Ending(killCommands)
  using _ = survival(log)
  await using serving =
    port === undefined
      ? null
      : await serveMetrics(context, port, { render: () => worker.renderMetrics(), gauges })
  await worker.start()
  tellStart(log, worker, handlers)
  if (serving) log.info(`Metrics are at ${serving.url}`, { url: serving.url })
  const why = await Promise.race([ending.asked, log.readerGone.then(() => 'a closed output')])
  await end(log, worker, why)
  // A handler that takes no notice must not go on: its task is another's from now on.
  if (worker.runningCount > 0) ending.exit()
}

/**
 * Modules may block the event loop, so their leases are watched over by a thread; commands can't. A store in memory is
 * out of its reach.
 */
async function guardedUrl(
  context: Context,
  handlers: readonly TypedHandler[],
): Promise<string | undefined> {
  const commands = (await context.setting('exec'))?.values ?? []
  const hasModules = handlers.length > commands.length
  const url = await queueUrl(context)
  return hasModules && !url.startsWith('memory:') ? url : undefined
}

/** What a handler throws into the open must not end the others; its own task fails by its timeout. */
function survival(log: Log): Disposable {
  const tell = (error: unknown) => {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
    log.error(`A handler threw something that nobody caught: ${why}`)
  }
  process.on('uncaughtException', tell)
  process.on('unhandledRejection', tell)
  return {
    [Symbol.dispose]() {
      process.off('uncaughtException', tell)
      process.off('unhandledRejection', tell)
    },
  }
}

function tellStart(log: Log, { id }: Worker, handlers: readonly TypedHandler[]): void {
  const types = handlers.map(({ type }) => type)
  log.info(`Worker ${id} works on ${types.join(', ')}`, { worker_id: id, task_types: types })
}

async function end(log: Log, worker: Worker, why: string): Promise<void> {
  const count = worker.runningCount
  const left = count === 0 ? 'nothing runs' : `waiting for ${count} running`
  log.info(`Ending on ${why}: ${left}`, { running: count })
  await worker.stop({ beforeExit: true })
  log.info(`Worker ${worker.id} has ended`, { worker_id: worker.id })
}

function tellEvent(log: Log, { type, task, runMs }: WorkerEvent): void {
  const { id, task_type, attempt, last_error, available_at } = task
  const ms = Math.round(runMs)
  const fields = { event: type, id, task_type, attempt, run_ms: ms, last_error }
  const what = `${task_type} ${log.shown(id)}`
  const why = last_error === null ? '' : `: ${firstLine(last_error)}`
  if (type === 'started') log.debug(`Started ${what}, attempt ${attempt}`, fields)
  // Why, the worker warns of.
  else if (type === 'lost') log.debug(`Lost ${what}, attempt ${attempt}`, fields)
  else if (type === 'unreported') log.debug(`Could not report ${what}`, fields)
  else if (type === 'completed') log.info(`Completed ${what} in ${ms} ms`, fields)
  else if (type === 'cancelled') log.info(`Cancelled ${what} after ${ms} ms`, fields)
  else if (type === 'requeued') log.info(`Gave back ${what}, without a charge`, fields)
  else if (type === 'retried')
    log.warn(`Will retry ${what} at ${available_at}${why}`, { ...fields, available_at })
  else log.error(`Failed ${what} for good${why}`, fields)
}
