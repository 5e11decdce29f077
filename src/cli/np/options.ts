import type { Option, Options } from '../program/command.ts'
import type { Context } from '../program/context.ts'

/** The words of a goal or a task, and why they change. */
export const wordOptions = {
  title: { short: 't', value: 'TITLE', about: 'what it is, in one line; - reads stdin' },
  description: { short: 'd', value: 'TEXT', about: 'more about it; - reads stdin' },
  file: { value: 'PATH', about: 'read the description from a file', completes: 'files' },
} as const satisfies Options

export const reasonOption: Option = {
  short: 'r',
  value: 'REASON',
  about: 'why, for whoever reads the log',
}

/** How many tasks a plan shows. */
export const planMax = 100

/** Words that mean the same, such as `done`, are taken as well; the model knows them. */
export const statusOption: Option = {
  short: 's',
  value: 'STATUS',
  about: 'pending, in_progress, completed, failed or cancelled',
  completes: ['pending', 'in_progress', 'completed', 'failed', 'cancelled'],
}

/** Texts of a command line, with what `-` and `--file` stand for. */
export interface Texts {
  readonly titles: readonly string[]
  readonly descriptions: readonly string[]
  readonly reason: string | undefined
}

const nouns: Readonly<Record<string, keyof Texts>> = {
  title: 'titles',
  description: 'descriptions',
  file: 'descriptions',
  reason: 'reason',
}

/** Reads the texts that were given, in their order. */
export async function readTexts(context: Context): Promise<Texts> {
  const given = context.args.ordered.filter(({ name }) => Object.hasOwn(nouns, name))
  if (given.filter(({ value }) => value === '-').length > 1)
    throw context.usageError('Stdin can be read only once.', 'Give - once, and the rest by --file.')
  const read: Record<keyof Texts, string[]> = { titles: [], descriptions: [], reason: [] }
  for (const { name, value } of given) {
    const source = name === 'file' ? { file: value } : { text: value }
    read[nouns[name] as keyof Texts].push((await context.readText(source)) as string)
  }
  if (read.reason.length > 1)
    throw context.usageError(
      '-r was given more than once.',
      'One reason goes for the whole change.',
    )
  return { ...read, reason: read.reason[0] }
}

/** The words of one thing: at most one title and one description. */
export function wordsOfOne(context: Context, { titles, descriptions }: Texts) {
  if (titles.length > 1) throw context.usageError('-t was given more than once.', 'Give one title.')
  if (descriptions.length > 1)
    throw context.usageError(
      'The description was given more than once.',
      'Give it once, by -d or by --file.',
    )
  return { title: titles[0], description: descriptions[0] }
}
