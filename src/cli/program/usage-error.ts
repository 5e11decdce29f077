/** What could have been typed instead, and what it means. */
export interface Offer {
  readonly name: string
  readonly aliases: readonly string[]
  readonly about: string
}

/** A command line, a setting or an input that can never work. Nothing was done. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** What is wrong, without what to do about it. */
  readonly what: string
  readonly next: string
  /** The commands there are, where the word for one was missing or unknown. */
  readonly commands: readonly Offer[] | undefined

  constructor(what: string, next: string, commands?: readonly Offer[]) {
    super(`${what} ${next}`)
    this.what = what
    this.next = next
    this.commands = commands
  }
}
