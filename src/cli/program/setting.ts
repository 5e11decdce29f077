import { durationForms, parseDuration } from './duration.ts'

/** A setting that configuration files may have, under the name of its option with _ for -. */
export interface SettingRule {
  readonly about: string
  /** Variables of the environment that say the same; which one counts, and before which, the program knows. */
  readonly variables: readonly string[]
  /** What holds where nothing says otherwise; null where nothing does, or each program has its own. */
  readonly default: string | null
  /** What it must be, for messages. */
  readonly form: string
  isRight(value: string): boolean
}

const wholeNumber = (min: number, max: number) => ({
  form: `a whole number from ${min} to ${max}`,
  isRight: (value: string) =>
    /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max,
})

/** All settings there are, for all programs. */
export const settingRules = {
  store: {
    about: 'the store that all programs work on',
    variables: ['HOLDFAST_STORE'],
    default: null,
    form: 'a URL',
    isRight: (value) => value !== '',
  },
  agent_id: {
    about: 'who claims tasks: coven, holdfast mcp',
    variables: ['HOLDFAST_AGENT', 'COVEN_AGENT_ID'],
    default: null,
    form: 'a name',
    isRight: (value) => value.trim() !== '',
  },
  host: {
    about: 'the address to listen on: coven serve, holdfast serve',
    variables: ['HOLDFAST_HOST'],
    default: '127.0.0.1',
    form: 'an address',
    isRight: (value) => /^\S+$/.test(value),
  },
  port: {
    about: 'the port to listen on: coven serve, holdfast serve',
    variables: ['HOLDFAST_PORT'],
    default: null,
    ...wholeNumber(0, 65_535),
  },
  concurrency: {
    about: 'how many tasks run at once: qo worker',
    variables: ['HOLDFAST_CONCURRENCY'],
    default: '10',
    ...wholeNumber(1, 10_000),
  },
  lease: {
    about: 'how long leases are that a worker renews: qo worker',
    variables: ['HOLDFAST_LEASE'],
    default: null,
    form: `a duration: ${durationForms}`,
    isRight: (value) => (parseDuration(value) ?? 0) > 0,
  },
} as const satisfies Readonly<Record<string, SettingRule>>

export type SettingName = keyof typeof settingRules

export const settingNames = Object.keys(settingRules) as SettingName[]

/** A setting as it was found, and where. */
export interface FoundSetting {
  readonly value: string
  readonly source: 'flag' | 'environment' | 'project file' | 'user file'
  /** Where exactly: `--store`, `HOLDFAST_STORE`, or a file and its line. */
  readonly origin: string
  /** The folder that relative paths in it start from, where that is not the working directory. */
  readonly folder?: string
}
