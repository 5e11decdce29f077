/** The command line asks for what there is not; the simulator has not failed. */
class UsageError extends Error {}

/** What was chosen by name, or all of it. */
export function named<T>(what: string, all: ReadonlyMap<string, T>, names?: readonly string[]) {
  return (names ?? [...all.keys()]).map((name): T => {
    const one = all.get(name)
    if (one) return one
    throw new UsageError(`There is no ${what} ${name}, only ${[...all.keys()].join(', ')}.`)
  })
}

/** A whole number from `least` on, or any above zero where minutes are counted. */
export function numberOf(name: string, text: string, least = 0): number {
  const number = Number(text)
  const isFine = name === 'minutes' ? number > 0 : Number.isSafeInteger(number) && number >= least
  if (!isFine || text.trim() === '')
    throw new UsageError(
      name === 'minutes'
        ? `--minutes needs a number above 0, not ${text}.`
        : `--${name} needs a whole number from ${least} on, not ${text}.`,
    )
  return number
}

/** Whether the command line is to blame for an error; `parseArgs` says so by a code. */
export const isUsage = (error: unknown): error is Error =>
  error instanceof UsageError ||
  String((error as { code?: unknown } | null)?.code).startsWith('ERR_PARSE_ARGS_')
