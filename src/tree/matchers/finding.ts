/** Something wrong with the file of matchers, and where. */
export interface Finding {
  /** Whether it keeps a rule from being used. */
  readonly severity: 'error' | 'warning'
  /** Both count from 1. */
  readonly line: number
  /** Where in the line, from 1 on. */
  readonly column: number
  /** One sentence. */
  readonly message: string
}

/** In the form that editors and terminals make a link of. */
export const formatFinding = (path: string, { severity, line, column, message }: Finding): string =>
  `${path}:${line}:${column}: ${severity}: ${message}`
