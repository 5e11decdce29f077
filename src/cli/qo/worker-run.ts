import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type {
  Handler,
  TypedHandler,
  Worker,
  WorkerEvent,
  WorkerOptions,
} from '../../queue/internal.ts'
import type { Context } from '../program/context.ts'
import { ShutdownSignal } from '../program/io.ts'
import { typed } from '../program/text.ts'
import { Log } from './log.ts'
import { metricsPortOf, serveMetrics } from './monitor.ts'
import { library, openMeasured, queueUrl } from './queue.ts'
import { firstLine } from './row.ts'
import { workerSettingsOf } from './worker.ts'

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
    url: await leaseThreadUrl(context, handlers),
    onWarning: (warning) => log.warn(warning),
    onEvent: (event) => logEvent(log, event),
  }
  await using store = await openMeasured(context, port)
  const gauges = new TaskGauges(store)
  const worker = new Worker(store, options)
  using shutdown = new ShutdownSignal(killCommands)
  using _ = loggingUncaughtErrors(log)
  await using serving =
    port === undefined
      ? null
      : await serveMetrics(context, port, { render: () => worker.renderMetrics(), gauges })
  await worker.start()
  logStart(log, worker, handlers)
  if (serving) log.info(`Metrics are at ${serving.url}`, { url: serving.url })
  const why = await Promise.race([shutdown.received, log.readerGone.then(() => 'a closed output')])
  await stopWorker(log, worker, why)
  // A handler that takes no notice must not go on: its task is another's from now on.
  if (worker.runningCount > 0) shutdown.exit()
}

/**
 * Modules may block the event loop, so their leases are watched over by a thread; commands can't. A store in memory is
 * out of its reach.
 */
async function leaseThreadUrl(
  context: Context,
  handlers: readonly TypedHandler[],
): Promise<string | undefined> {
  const commands = (await context.setting('exec'))?.values ?? []
  const hasModules = handlers.length > commands.length
  const url = await queueUrl(context)
  const { schemeOf } = await import('../../store/internal.ts')
  return hasModules && schemeOf(url)?.sharedBy !== 'process' ? url : undefined
}

/** What a handler throws into the open must not end the others; its own task fails by its timeout. */
function loggingUncaughtErrors(log: Log): Disposable {
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

function logStart(log: Log, { id }: Worker, handlers: readonly TypedHandler[]): void {
  const types = handlers.map(({ type }) => type)
  log.info(`Worker ${id} works on ${types.join(', ')}`, { worker_id: id, task_types: types })
}

async function stopWorker(log: Log, worker: Worker, why: string): Promise<void> {
  const count = worker.runningCount
  const left = count === 0 ? 'nothing runs' : `waiting for ${count} running`
  log.info(`Ending on ${why}: ${left}`, { running: count })
  await worker.stop({ beforeExit: true })
  log.info(`Worker ${worker.id} has ended`, { worker_id: worker.id })
}

function logEvent(log: Log, { type, task, runMs }: WorkerEvent): void {
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

/** Handlers of modules and commands, one for each type. */
export async function handlersOf(context: Context): Promise<TypedHandler[]> {
  const handlers = [...(await commandsOf(context))]
  const found = await context.setting('handlers')
  for (const file of found?.values ?? [])
    handlers.push(...(await handlersIn(context, file, found?.folder ?? context.io.cwd())))
  if (handlers.length === 0)
    throw context.usageError(
      'The worker has nothing to run.',
      'Give --handlers FILE or --exec TYPE=COMMAND.',
    )
  const types = handlers.map(({ type }) => type)
  const twice = types.find((type, at) => types.indexOf(type) !== at)
  if (twice === undefined) return handlers
  throw context.usageError(`Type "${twice}" has two handlers.`, 'Give one for each type.')
}

/** `--exec TYPE=COMMAND`. */
async function commandsOf(context: Context): Promise<TypedHandler[]> {
  const { checkType, commandHandler } = await library()
  const { io } = context
  const retryAll = await context.isOn('exec-retry-all')
  const found = await context.setting('exec')
  // A file that is trusted must not run what happens to lie where a worker is started.
  const cwd = found?.source === 'project file' ? found.folder : undefined
  return (found?.values ?? []).map((given) => {
    const [, type, command] = /^([^=]*)=(.*)$/s.exec(given) ?? []
    if (!type?.trim() || !command?.trim())
      throw context.usageError(
        `${found?.origin} takes no "${typed(given)}".`,
        'Give TYPE=COMMAND, as send_email=./send.sh.',
      )
    return commandHandler(checkType(type.trim()), command, { retryAll, env: io.env, cwd })
  })
}

/** The handlers that a module exports: a default object by type, or functions by their names. */
async function handlersIn(context: Context, file: string, folder: string): Promise<TypedHandler[]> {
  const path = resolve(folder, file)
  if (file === '' || !statSync(path, { throwIfNoEntry: false })?.isFile())
    throw context.usageError(
      `There is no file ${file === '' ? 'without a name' : file}.`,
      'Name a module.',
    )
  const exported = await loadedModule(context, file, path)
  const handlers = entriesOf(exported).map(([type, value]) => handlerOf(context, file, type, value))
  const usable = handlers.filter((handler) => handler !== null)
  if (usable.length > 0) return usable
  throw context.usageError(
    `${file} exports no handlers.`,
    'Export an object of functions by type as its default, or functions by their names.',
  )
}

async function loadedModule(context: Context, file: string, path: string): Promise<object> {
  try {
    return (await import(pathToFileURL(path).href)) as object
  } catch (error) {
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    throw context.usageError(`${file} can't be loaded: ${why.split('\n')[0]}.`, 'Correct it.')
  }
}

interface Exported {
  readonly type: string
  readonly value: unknown
  /** A module may export other things beside its handlers; a table of handlers holds nothing else. */
  readonly isStrict: boolean
}

/** What may be a handler, and what must be one. */
function entriesOf(exported: object): [string, Exported][] {
  const { default: table, ...named } = exported as Record<string, unknown>
  const entry = (type: string, value: unknown, isStrict: boolean): [string, Exported] => [
    type,
    { type, value, isStrict },
  ]
  const own = Object.entries(named)
    // What Node adds to a module of the older kind.
    .filter(([name]) => name !== 'module.exports')
    .map(([name, value]) => entry(name, value, false))
  if (typeof table !== 'object' || table === null) return own
  const listed = Array.isArray(table)
    ? table.map((each: TypedHandler, at) => entry(String(each?.type ?? at), each, true))
    : Object.entries(table).map(([type, value]) => entry(type, value, true))
  const types = new Set(listed.map(([type]) => type))
  // A module of the older kind shows what it exports in both ways.
  return [...listed, ...own.filter(([type]) => !types.has(type))]
}

function handlerOf(
  context: Context,
  file: string,
  type: string,
  { value, isStrict }: Exported,
): TypedHandler | null {
  if (typeof value === 'function') return { type, run: value as Handler<never> }
  if (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as TypedHandler).run === 'function'
  )
    return { ...(value as TypedHandler), type: (value as Partial<TypedHandler>).type ?? type }
  if (!isStrict) return null
  throw context.usageError(
    `The handler of "${type}" in ${file} is no function.`,
    'Export functions.',
  )
}
