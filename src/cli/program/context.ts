import type { Store } from '../../store/internal.ts'
import { nameOf, usageError } from './check.ts'
import type { CommandNode, Program } from './command.ts'
import type { Arguments } from './command-line.ts'
import type { Config } from './config.ts'
import type { UsageError } from './error.ts'
import type { Failure } from './failure.ts'
import { readText } from './input.ts'
import type { GuardedIo } from './io.ts'
import { isYes } from './option-value.ts'
import type { Output } from './output.ts'
import { type FoundSetting, type SettingName, settingRules } from './setting.ts'
import { chooseStore, type StoreChoice } from './store-choice.ts'

/** All that a running command has to do with. */
export class Context {
  readonly program: Program
  readonly args: Arguments
  readonly out: Output
  readonly io: GuardedIo
  /** How the program ends when the command does not throw. */
  exitCode = 0
  readonly #node: CommandNode
  #storeChoice: Promise<StoreChoice> | undefined
  #config: Promise<Config> | undefined

  constructor(
    program: Program,
    node: CommandNode,
    { args, out, io }: { args: Arguments; out: Output; io: GuardedIo },
  ) {
    this.program = program
    this.#node = node
    this.args = args
    this.out = out
    this.io = io
  }

  /** The store that this command works on. */
  storeChoice(): Promise<StoreChoice> {
    this.#storeChoice ??= this.setting('store').then((setting) =>
      chooseStore(setting, this.io, this.program.defaultStore),
    )
    return this.#storeChoice
  }

  /**
   * By flag, environment, project file, user file: the first that says something; null where none does. Of several
   * variables those that are given count, in that order.
   */
  async setting(
    name: SettingName,
    variables: readonly string[] = settingRules[name].variables,
  ): Promise<FoundSetting | null> {
    const flag = name.replaceAll('_', '-')
    const values = this.args.values(flag)
    const given = settingRules[name].kind === 'switch' && values.length > 0 ? 'true' : values.at(-1)
    if (given !== undefined) return { value: given, values, source: 'flag', origin: `--${flag}` }
    for (const variable of variables) {
      const value = this.io.env[variable]
      if (value?.trim()) return { value, source: 'environment', origin: variable }
    }
    const own = name === 'store' ? this.program.environmentStore?.(this.io) : undefined
    if (own !== undefined)
      return {
        value: own,
        source: 'environment',
        origin: `the environment of ${this.program.name}`,
      }
    return (await this.config()).get(name)
  }

  /** Whether a setting that is true or false is on. */
  async isOn(name: SettingName): Promise<boolean> {
    const found = await this.setting(name)
    return found !== null && isYes(this, { name: found.origin, text: found.value })
  }

  /** The configuration files, which most runs that name a store do without. */
  config(): Promise<Config> {
    this.#config ??= import('./config.ts').then(({ Config }) => new Config(this.io))
    return this.#config
  }

  /** Opens a store, the one that was chosen if left out; makes it only for a command that adds something. */
  async openStore(given: { url?: string; create?: boolean } = {}): Promise<Store> {
    const { url = (await this.storeChoice()).url } = given
    const { create = this.#node.command?.creates === true } = given
    const { openStore } = await import('../../store/internal.ts')
    try {
      return await openStore(url, { create })
    } catch (error) {
      const { explainMissing } = await import('./failure.ts')
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
    return usageError(this.program, this.#node, what, hint && `${hint} `)
  }

  /** The command as it is typed: `np g s`. */
  get commandName(): string {
    return nameOf(this.program, this.#node)
  }
}
