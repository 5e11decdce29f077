import type { Applied, Disk } from './disk.ts'

const lineCharsMax = 600
const documentsMax = 40
const namedMax = 4
const statesMax = 4

/** What must not be, and the disk around the first of it. */
export class Findings {
  readonly violations: string[] = []
  readonly #disk: Disk
  #state: readonly string[] | null = null

  constructor(disk: Disk) {
    this.#disk = disk
  }

  add(what: string): void {
    this.#state ??= stateAt(this.#disk.log, what)
    if (!this.violations.includes(what)) this.violations.push(what)
  }

  /** What the disk was before and after the first violation; or how it looks at the end. */
  get state(): readonly string[] {
    return this.#state ?? documentsIn(this.#disk.log)
  }
}

/** Two violations of one sort differ in ids, times and counts only. */
export const sortOf = (violation: string): string =>
  (violation.split('\n')[0] as string).replace(/\S*\d\S*/g, '#').replace(/(# ?)+/g, '#')

/** The last commit, with what it replaced; what the violation names, through its last states; and all else. */
function stateAt(log: readonly Applied[], violation: string): string[] {
  const last = log.at(-1)
  if (last === undefined) return ['Nothing was written.']
  const changed = log.filter(({ commit }) => commit === last.commit)
  const named = [...new Set(log.map(({ key }) => key))].filter((key) => isNamed(key, violation))
  return [
    `The last commit before it, at ${seconds(log, last)}:`,
    ...changed.flatMap((write) => [
      `  ${write.key}`,
      `    before: ${shown(previous(log, write))}`,
      `    after:  ${shown(write)}`,
    ]),
    ...named.slice(0, namedMax).flatMap((key) => {
      const states = log.filter((write) => write.key === key)
      return [
        `The last states of ${key}, which it names:`,
        ...states.slice(-statesMax).map((write) => `  ${seconds(log, write)}: ${shown(write)}`),
      ]
    }),
    'On the disk then:',
    ...documentsIn(log).map((line) => `  ${line}`),
  ]
}

function isNamed(key: string, violation: string): boolean {
  const name = key.slice(key.lastIndexOf('/') + 1)
  return name.length >= 6 && violation.includes(name)
}

function previous(log: readonly Applied[], write: Applied): Applied | null {
  const earlier = log.slice(0, log.indexOf(write)).filter(({ key }) => key === write.key)
  return earlier.at(-1) ?? null
}

/** Since the first write, as no clock of a process says. */
const seconds = (log: readonly Applied[], { atMs }: Applied): string =>
  `${((atMs - (log[0]?.atMs ?? atMs)) / 1000).toFixed(3)} s after the first`

function documentsIn(log: readonly Applied[]): string[] {
  const entries = new Map<string, Applied>()
  for (const write of log)
    if (write.value === null) entries.delete(write.key)
    else entries.set(write.key, write)
  const lines = [...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, write]) => `${key} = ${shown(write)}`)
  if (lines.length <= documentsMax) return lines
  return [...lines.slice(0, documentsMax), `… and ${lines.length - documentsMax} more`]
}

function shown(write: Applied | null): string {
  if (write === null) return 'nothing'
  if (write.value === null) return 'removed'
  const text = JSON.stringify(new TextDecoder().decode(write.value)).slice(1, -1)
  const plain = text.replaceAll('\\"', '"')
  return plain.length <= lineCharsMax ? plain : `${plain.slice(0, lineCharsMax)}…`
}

export const shownError = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error)
