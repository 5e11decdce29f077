/**
 * Settings that do not count: another user's, not trusted, or a secret where none belongs. Nothing was done. Programs end
 * with the exit code of a store that may not be used, for settings say which store that is.
 */
export class TrustError extends Error {
  override readonly name = 'TrustError'
  /** What is wrong, without what to do about it. */
  readonly what: string
  readonly next: string

  constructor(what: string, next: string) {
    super(`${what} ${next}`)
    this.what = what
    this.next = next
  }
}
