import type { Context } from '../program/context.ts'

export const fileOption = {
  value: 'PATH',
  about: 'read the body from a file',
  completes: 'files',
} as const

/** The texts that options give, of which one may come from stdin; those that were not given are left out. */
export async function readTexts<Name extends string>(
  context: Context,
  names: readonly Name[],
): Promise<Partial<Record<Name, string>>> {
  const { args } = context
  const fromStdin = [...names, 'file'].filter((name) => args.value(name) === '-')
  if (fromStdin.length > 1)
    throw context.usageError(
      `${fromStdin.map((name) => `--${name}`).join(' and ')} both read stdin.`,
      'Give one of them in another way.',
    )
  const texts: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const file = name === 'body' ? args.value('file') : undefined
    const text = await context.readText({ text: args.value(name), file })
    if (text !== undefined) texts[name] = text
  }
  return texts
}

/** What is said about a change of status, checked before the store is opened. */
export async function readNote(context: Context, name: 'reason' | 'summary') {
  const { checkNote } = await import('../../tree/internal.ts')
  return checkNote(await readTexts(context, [name]))
}

export const reasonOption = {
  reason: { short: 'r', value: 'TEXT', about: 'why, for the history; - reads stdin' },
} as const
