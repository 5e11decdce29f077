import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { exitCodes } from './exit-code.ts'
import { say } from './output.ts'

type Command = () => Promise<void>

const commands: Readonly<Record<string, { readonly about: string; load(): Promise<Command> }>> = {
  demo: {
    about: 'show the embedded store at work, in a temporary file',
    load: async () => (await import('./demo.ts')).demo,
  },
}

const help = `Holdfast: one task engine on any compare-and-swap store.

Usage: holdfast COMMAND

Commands:
${Object.entries(commands)
  .map(([name, { about }]) => `  ${name.padEnd(10)}${about}`)
  .join('\n')}

Options:
  --help      show this
  --version   show the version

Example:
  holdfast demo`

/** Runs one command; answers with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const parsed = parse(args)
  if (parsed instanceof Error) return usageError(`${parsed.message.split('. ')[0]}.`)
  const { values, positionals } = parsed
  const [name, ...rest] = positionals
  if (values.version) return print(version())
  if (values.help) return print(help)
  if (name === undefined) return usageError('No command was given.')
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) return usageError(`There is no command "${name}".`)
  if (rest.length > 0) return usageError(`"${name}" takes no argument "${rest[0]}".`)
  const run = await command.load()
  await run()
  return exitCodes.ok
}

function parse(args: readonly string[]) {
  try {
    const options = { help: { type: 'boolean' }, version: { type: 'boolean' } } as const
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    return error as Error
  }
}

function print(text: string): number {
  say(text)
  return exitCodes.ok
}

function usageError(what: string): number {
  process.stderr.write(`holdfast: ${what} See "holdfast --help".\n`)
  return exitCodes.usage
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
