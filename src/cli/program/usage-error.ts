/** A command line, a setting or an input that can never work. Nothing was done. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** What is wrong, without what to do about it. */
  readonly what: string
  readonly next: string

  constructor(what: string, next: string) {
    super(`${what} ${next}`)
    this.what = what
    this.next = next
  }
}
