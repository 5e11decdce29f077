/* HTTP has names in snake_case; the libraries of jobs and the queue have them in camelCase. */

export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** An object with the names of the library. */
export const camelCased = (given: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [camelCase(name), value]))

/** An object with the names of HTTP. */
export const snakeCased = <T>(given: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [snakeCase(name), value]))

/** A name in snake_case, as a type. */
export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name
