import { readFileSync } from 'node:fs'
import { type CommandNode, commandNodes, type Program } from '../../src/cli/program/command.ts'

/** A command of a program, with words that it takes for its arguments. */
export interface AnyCommand {
  readonly program: Program
  readonly place: CommandNode
  /** As it is typed: `np t u`. */
  readonly line: string
  readonly words: readonly string[]
}

const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: Record<string, string> }

/** All programs of the package, so that a new one is among them. */
export const programs: readonly Program[] = await Promise.all(
  Object.keys(bin).map(async (name) => {
    const module = (await import(`../../src/cli/${name}.ts`)) as Record<string, Program>
    return module[name] as Program
  }),
)

const argumentsOf = ({ command }: CommandNode): string[] =>
  (command?.arguments ?? [])
    .filter(({ isOptional }) => !isOptional)
    .map(({ choices }) => choices?.[0] ?? 'abcdef01')

/** All of their commands that do something, read off the tables of the programs. */
export const everyCommand: readonly AnyCommand[] = programs.flatMap((program) =>
  commandNodes(program)
    .filter(({ command }) => command?.run !== undefined)
    .map((place) => ({
      program,
      place,
      line: [program.name, ...place.path].join(' '),
      words: [...place.path, ...argumentsOf(place)],
    })),
)
