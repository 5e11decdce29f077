/**
 * A validator that follows Standard Schema (https://standardschema.dev), as those of Zod, Valibot and ArkType do.
 * Only what is used of it is declared here, as the standard invites to; so there is no package to depend on.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** What the specification asks for: who made the schema, and the function that checks and converts. */
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (
      value: unknown,
    ) => StandardResult<Output> | PromiseLike<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** What a schema makes of a value: that value, checked and converted, or what is wrong with it. */
export type StandardResult<Output> =
  | {
      /** The value as the schema made it. */
      readonly value: Output
      readonly issues?: undefined
    }
  | {
      /** What is wrong; there only where something is. */
      readonly issues: readonly StandardIssue[]
    }

/** One thing that a schema finds wrong. */
export interface StandardIssue {
  /** What is wrong, in words. */
  readonly message: string
  /** Where in the value it is. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

const issuesShownMax = 5

/** What is wrong, each flaw with the place where it is. */
export function flawsOf(issues: readonly StandardIssue[]): string {
  const told = issues.slice(0, issuesShownMax).map(({ message, path = [] }) => {
    const place = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
    return place === '' ? message : `${place}: ${message}`
  })
  const more = issues.length - told.length
  return `${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}
