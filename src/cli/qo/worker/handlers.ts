import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Handler, TypedHandler } from '../../../queue/internal.ts'
import type { Context } from '../../program/context.ts'
import { typed } from '../../program/typed.ts'
import { library } from '../queue.ts'

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
  const exported = await loaded(context, file, path)
  const handlers = entriesOf(exported).map(([type, value]) => handlerOf(context, file, type, value))
  const usable = handlers.filter((handler) => handler !== null)
  if (usable.length > 0) return usable
  throw context.usageError(
    `${file} exports no handlers.`,
    'Export an object of functions by type as its default, or functions by their names.',
  )
}

async function loaded(context: Context, file: string, path: string): Promise<object> {
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
