import type { Store } from '../../store/index.ts'
import type { Arguments } from './arguments.ts'
import { nameOf, usageError } from './check.ts'
import type { Place, Program } from './command.ts'
import type { Failure } from './failure.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'
import { chooseStore, type StoreChoice } from './store-choice.ts'
import { readText } from './text-input.ts'
import type { UsageError } from './usage-error.ts'

/** All that a running command has to do with. */
export class Context {
  readonly program: Program
  readonly args: Arguments
  readonly out: Output
  readonly io: Io
  /** How the program ends when the command does not throw. */
  exitCode = 0
  readonly #place: Place
  #storeChoice: Promise<StoreChoice> | undefined

  constructor(
    program: Program,
    place: Place,
    { args, out, io }: { args: Arguments; out: Output; io: Io },
  ) {
    this.program = program
    this.#place = place
    this.args = args
    this.out = out
    this.io = io
  }

  /** The store that this command works on. */
  storeChoice(): Promise<StoreChoice> {
    this.#storeChoice ??= chooseStore(this.args.value('store'), this.io, {
      warn: (text) => this.out.warn(text),
      environmentStore: this.program.environmentStore,
      defaultStore: this.program.defaultStore,
    })
    return this.#storeChoice
  }

  /** Opens a store, the one that was chosen if left out; makes it only for a command that adds something. */
  async openStore(given: { url?: string; create?: boolean } = {}): Promise<Store> {
    const { url = (await this.storeChoice()).url } = given
    const { create = this.#place.command?.creates === true } = given
    const { openStore } = await import('../../store/index.ts')
    try {
      return await openStore(url, { create })
    } catch (error) {
      const { explainMissing } = await import('./missing-store.ts')
      throw explainMissing(error, url, this.program.starter)
    }
  }

  /** A text that may come from stdin or a file; undefined where neither was given. */
  readText(source: { text?: string | undefined; file?: string | undefined }) {
    return readText(this.io, source)
  }

  /** What was thrown, as this program tells it. */
  async failureOf(thrown: unknown): Promise<Failure> {
    const { failureOf } = await import('./failure.ts')
    return failureOf(thrown, this.program)
  }

  /** An error that leads to the help of this command. */
  usageError(what: string, hint?: string): UsageError {
    return usageError(this.program, this.#place, what, hint && `${hint} `)
  }

  /** The command as it is typed: `np g s`. */
  get commandName(): string {
    return nameOf(this.program, this.#place)
  }
}
