/**
 * A validator that follows Standard Schema (https://standardschema.dev), as those of Zod, Valibot and ArkType do.
 * Only what is used of it is declared here, as the standard invites to; so there is no package to depend on.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (
      value: unknown,
    ) => StandardResult<Output> | PromiseLike<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
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
