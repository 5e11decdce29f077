/** How many characters of a long text stand in a list. */
const listedMax = 200
/** How many stand where one thing is shown. */
export const shownWhole = 4_000

/** A text of at most so many characters; an ellipsis stands for the rest. */
export function clipped(text: string, max = listedMax): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`
}

/** Without the fields that say nothing: an agent pays for each. */
export function stated<T extends object>(fields: T): Partial<T> {
  const said = Object.entries(fields).filter(
    ([, value]) =>
      value !== null &&
      value !== undefined &&
      value !== '' &&
      !(Array.isArray(value) && value.length === 0),
  )
  return Object.fromEntries(said) as Partial<T>
}

/** A list that may be cut says so. */
export const cut = <T>(name: string, items: readonly T[], total: number) => ({
  [name]: items,
  ...(items.length < total ? { shown: `${items.length} of ${total}` } : {}),
})
