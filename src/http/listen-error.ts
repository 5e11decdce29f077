/** It can't listen there, or must not. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  readonly next: string
  /** Where somebody else listens already, where that is why. */
  readonly taken: string | null
  /** Whether a file is to blame that may not be used as it is, rather than what was asked for. */
  readonly isUnusableFile: boolean

  constructor(
    what: string,
    next: string,
    { cause = null as unknown, taken = null as string | null, isUnusableFile = false } = {},
  ) {
    super(what, cause === null ? undefined : { cause })
    this.next = next
    this.taken = taken
    this.isUnusableFile = isUnusableFile
  }
}
