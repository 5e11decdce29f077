import { durationForms, parseDuration } from './option-value.ts'

/**
 * What a setting may do when a project's file says it:
 *
 * | rule          | it counts                                                         | because it                                     |
 * |---------------|-------------------------------------------------------------------|------------------------------------------------|
 * | `tunes`       | always                                                            | changes how something runs, not what or where  |
 * | `by place`    | inside the file's own folder; elsewhere once the file is trusted  | says where data and credentials go             |
 * | `needs trust` | once the user trusts the file                                     | runs, exposes or reveals something             |
 * | `secret`      | never                                                             | is a secret, or leads to one                   |
 */
type ProjectRule = 'tunes' | 'by place' | 'needs trust' | 'secret'

/** A setting that configuration files may have, under the name of its option; `-` and `_` are the same there. */
export interface SettingRule {
  readonly about: string
  /** Variables of the environment that say the same; which one counts, and before which, the program knows. */
  readonly variables: readonly string[]
  /** What holds where nothing says otherwise; null where nothing does, or each program has its own. */
  readonly default: string | null
  /** What it must be, for messages. */
  readonly form: string
  /** What stands for it in a file: a text alone, also a number, true or false, or one or more texts. */
  readonly kind: 'text' | 'number' | 'switch' | 'list'
  /** What it takes for the file of a project, which may be another person's, to set it. */
  readonly inProject: ProjectRule
  isRight(value: string): boolean
}

const wholeNumber = (min: number, max: number) => ({
  form: `a whole number from ${min} to ${max}`,
  kind: 'number' as const,
  isRight: (value: string) =>
    /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max,
})

const duration = (msMin: number) => ({
  form: `a duration: ${durationForms}`,
  kind: 'number' as const,
  isRight: (value: string) => (parseDuration(value) ?? -1) >= msMin,
})

const text = (form: string, pattern: RegExp) => ({
  form,
  kind: 'text' as const,
  isRight: (value: string) => pattern.test(value),
})

const onOrOff = {
  form: 'true or false',
  kind: 'switch' as const,
  default: 'false',
  isRight: (value: string) => value === 'true' || value === 'false',
}

/** Nothing but white space is no text. */
const notBlank = /\S/

/** What `coven serve` and `holdfast serve` take besides address and token. */
const serverRules = {
  socket: {
    inProject: 'needs trust',
    ...text('a path', notBlank),
    ...{ about: 'the Unix socket to listen on: coven serve, holdfast serve', default: null },
    ...{ variables: ['HOLDFAST_SOCKET'] },
  },
  'public-url': {
    inProject: 'needs trust',
    ...text('an origin, as https://tasks.example.com', /^https?:\/\/[^\s/?#@]+\/?$/i),
    ...{ about: 'where a reverse proxy serves a server', variables: ['HOLDFAST_PUBLIC_URL'] },
    ...{ default: null },
  },
  'trust-proxy': {
    inProject: 'needs trust',
    ...{ ...onOrOff, about: 'take client addresses from X-Forwarded-For' },
    ...{ variables: ['HOLDFAST_TRUST_PROXY'] },
  },
  'tls-cert': {
    inProject: 'secret',
    ...text('a path', notBlank),
    ...{ about: 'the certificate chain to serve HTTPS with', variables: ['HOLDFAST_TLS_CERT'] },
    ...{ default: null },
  },
  'tls-key': {
    inProject: 'secret',
    ...text('a path', notBlank),
    ...{ about: 'the private key of the certificate', variables: ['HOLDFAST_TLS_KEY'] },
    ...{ default: null },
  },
  insecure: {
    inProject: 'needs trust',
    ...{ ...onOrOff, about: 'let other machines in without TLS' },
    ...{ variables: ['HOLDFAST_INSECURE'] },
  },
  log: {
    inProject: 'needs trust',
    ...text('text or json', /^(?:text|json)$/),
    ...{ about: 'how a server logs', variables: ['HOLDFAST_LOG_FORMAT'], default: 'text' },
  },
} as const satisfies Readonly<Record<string, SettingRule>>

/** What `qo worker` and `qo monitor` take; their options have the same names. */
const workerRules = {
  handlers: {
    inProject: 'needs trust',
    ...text('a path, or a list of paths', notBlank),
    ...{ about: 'modules that export functions by type: qo worker', variables: [], default: null },
    kind: 'list',
  },
  exec: {
    inProject: 'needs trust',
    ...text('TYPE=COMMAND, or a list of them', /^[^=]*\S[^=]*=.*\S/s),
    ...{ about: 'commands by type of task: qo worker', variables: [], default: null },
    kind: 'list',
  },
  'exec-retry-all': {
    ...onOrOff,
    inProject: 'needs trust',
    about: 'try every failure of a command again',
    variables: [],
  },
  id: {
    inProject: 'tunes',
    ...text('a name', notBlank),
    ...{ about: 'the name of a worker: qo worker', variables: [], default: null },
  },
  shards: {
    inProject: 'tunes',
    ...text('hex digits, as 0,1,2,3 or 0-7', /^[0-9a-f,\s-]+$/i),
    ...{ about: 'which shards to look in: qo worker', variables: [], default: null },
    kind: 'number',
  },
  'shutdown-deadline': {
    inProject: 'tunes',
    ...duration(0),
    ...{ about: 'how long to wait for running tasks on shutdown', variables: [], default: '30s' },
  },
  'index-mode': {
    inProject: 'tunes',
    ...text('index-only, hybrid or log-scan', /^(?:index-only|hybrid|log-scan)$/),
    ...{ about: 'where to look for tasks: qo worker', variables: ['QO_INDEX_MODE'] },
    default: 'hybrid',
  },
  'ready-page-size': {
    inProject: 'tunes',
    ...wholeNumber(1, 1_000),
    ...{ about: 'how many index entries to read at a time', variables: ['QO_READY_PAGE_SIZE'] },
    default: '100',
  },
  'log-scan-page-size': {
    inProject: 'tunes',
    ...wholeNumber(1, 1_000),
    ...{ about: 'how many tasks to scan at a time', variables: ['QO_LOG_SCAN_PAGE_SIZE'] },
    default: '50',
  },
  'no-monitor': {
    inProject: 'tunes',
    ...onOrOff,
    ...{ about: 'run a worker without a monitor', variables: ['QO_NO_MONITOR'] },
  },
  'check-interval': {
    inProject: 'tunes',
    ...duration(0),
    ...{ about: 'how often to look for expired leases', variables: ['QO_MONITOR_CHECK_INTERVAL'] },
    default: '30s',
  },
  'worker-health-threshold': {
    inProject: 'tunes',
    ...duration(0),
    about: 'how long a worker may be silent',
    ...{ variables: ['QO_MONITOR_WORKER_HEALTH_THRESHOLD'], default: '60s' },
  },
  'sweep-interval': {
    inProject: 'tunes',
    ...duration(0),
    ...{ about: 'how often to repair the indexes', variables: ['QO_MONITOR_SWEEP_INTERVAL'] },
    default: '300s',
  },
  'sweep-page-size': {
    inProject: 'tunes',
    ...wholeNumber(1, 100_000),
    ...{ about: 'how much to repair at a time', variables: ['QO_MONITOR_SWEEP_PAGE_SIZE'] },
    default: '1000',
  },
  once: { ...onOrOff, inProject: 'tunes', about: 'look once and end: qo monitor', variables: [] },
  metrics: {
    inProject: 'needs trust',
    ...wholeNumber(0, 65_535),
    ...{ about: 'the port for metrics: qo worker, qo monitor', variables: [], default: null },
  },
} as const satisfies Readonly<Record<string, SettingRule>>

/** All settings there are, for all programs. */
export const settingRules = {
  store: {
    inProject: 'by place',
    about: 'the store that all programs work on',
    variables: ['HOLDFAST_STORE'],
    default: null,
    ...text('a URL', /^.+$/s),
  },
  agent_id: {
    inProject: 'tunes',
    about: 'who claims tasks: coven, holdfast mcp',
    variables: ['HOLDFAST_AGENT', 'COVEN_AGENT_ID'],
    default: null,
    ...text('a name', notBlank),
  },
  host: {
    inProject: 'needs trust',
    about: 'the address to listen on: coven serve, holdfast serve',
    variables: ['HOLDFAST_HOST'],
    default: '127.0.0.1',
    ...text('an address', /^\S+$/),
  },
  port: {
    inProject: 'needs trust',
    about: 'the port to listen on: coven serve, holdfast serve',
    variables: ['HOLDFAST_PORT'],
    default: null,
    ...wholeNumber(0, 65_535),
  },
  ...serverRules,
  concurrency: {
    inProject: 'tunes',
    about: 'how many tasks run at once: qo worker',
    variables: ['HOLDFAST_CONCURRENCY'],
    default: '10',
    ...wholeNumber(1, 10_000),
  },
  lease: {
    inProject: 'tunes',
    about: 'how long leases are that a worker renews: qo worker',
    variables: ['HOLDFAST_LEASE'],
    default: null,
    ...duration(1),
  },
  ...workerRules,
  token: {
    inProject: 'secret',
    ...text('plain ASCII characters without spaces', /^[\x21-\x7e]+$/),
    about: "a server's own token, which allows everything: coven serve, holdfast serve",
    ...{ variables: ['HOLDFAST_TOKEN', 'COVEN_TOKEN'], default: null },
  },
  'token-file': {
    inProject: 'secret',
    ...text('a path', notBlank),
    about: 'a file that holds that token: coven serve, holdfast serve',
    ...{ variables: ['HOLDFAST_TOKEN_FILE', 'COVEN_TOKEN_FILE'], default: null },
  },
  samples: {
    ...onOrOff,
    inProject: 'needs trust',
    about: 'start with samples: holdfast serve',
    variables: [],
  },
} as const satisfies Readonly<Record<string, SettingRule>>

export type SettingName = keyof typeof settingRules

export const settingNames = Object.keys(settingRules) as SettingName[]

const sameName = (name: string): string => name.replaceAll('_', '-')
const byName = new Map(settingNames.map((name) => [sameName(name), name]))

/** The setting that a key of a file means. */
export const settingCalled = (key: string): SettingName | undefined => byName.get(sameName(key))

/** The closest to the command first. */
const settingSources = ['flag', 'environment', 'project file', 'user file'] as const

/** Of two settings, the one with the lower rank was given closer to the command; what was not given comes last. */
export const rankOf = (found: FoundSetting | null): number =>
  found === null ? settingSources.length : settingSources.indexOf(found.source)

/** A setting as it was found, and where. */
export interface FoundSetting {
  /** The last one of several. */
  readonly value: string
  /** All of them, of an option that may be given more than once. */
  readonly values?: readonly string[]
  readonly source: (typeof settingSources)[number]
  /** Where exactly: `--store`, `HOLDFAST_STORE`, or a file and its line. */
  readonly origin: string
  /** The folder that relative paths in it start from, where that is not the working directory. */
  readonly folder?: string
}
