/** What could have been typed instead, and what it means. */
export interface OfferedCommand {
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
  readonly commands: readonly OfferedCommand[] | undefined

  constructor(what: string, next: string, commands?: readonly OfferedCommand[]) {
    super(`${what} ${next}`)
    this.what = what
    this.next = next
    this.commands = commands
  }
}

/** A settings file that can't be used: broken, nothing that settings are read from, or of a user without a home. */
export class SettingsError extends UsageError {}

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
