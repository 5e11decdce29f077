import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { RuleSet } from './choice.ts'
import { type Finding, formatFinding } from './finding.ts'
import { parseMatchers } from './parse.ts'
import { ChangingFile, type MatcherReader, type Source } from './source.ts'

/** How a file of matchers is followed. */
export interface MatcherFileOptions {
  /** Told every finding of a file that is new or has changed, a line each. */
  readonly log?: (line: string) => void
  /** How long a file that had rules must be empty before it counts as one without rules. */
  readonly emptyMs?: number
  /** Reads the file in its own way, and may refuse what it reads; then no rules are in use. */
  readonly reader?: MatcherReader | undefined
}

/**
 * What the file says now.
 *
 * | state    | when                             | rules                                   |
 * |----------|----------------------------------|-----------------------------------------|
 * | `absent` | there is no file                 | none                                    |
 * | `loaded` | it was read; some may be skipped | its own                                 |
 * | `broken` | as a whole it can't be used      | those of the last `loaded`; none before |
 * | `broken` | its reader refuses it            | none                                    |
 *
 * Many editors empty a file, or take it away, before they write it. So one that is empty changes nothing for a while, and
 * what was good before either still is when a broken file follows at once.
 */
export interface MatcherState extends RuleSet {
  /** Whether there is a file, and whether it can be used. */
  readonly state: 'absent' | 'loaded' | 'broken'
  /** What is wrong in it. */
  readonly findings: readonly Finding[]
}

/** How long after a change of the folder the file is looked at: writers often take several steps. */
const settleMs = 50
const emptyMsDefault = 1_000

const absent: MatcherState = { state: 'absent', rules: [], findings: [], problem: null }

/** The file of matchers, `.coven/grimoire-matchers.yaml`, read again whenever it has changed. */
export class MatcherFile implements Disposable {
  /** Where the file is, or would be. */
  readonly path: string
  readonly #file: ChangingFile
  readonly #log: (line: string) => void
  readonly #emptyMs: number
  #source: Source | null = null
  #state: MatcherState = absent
  /** What a broken file leaves in use. */
  #good: RuleSet['rules'] = []
  /** Since when there has been nothing in the file, or no file. */
  #emptySince: number | null = null
  /** The last look at the file, for they go one after the other. */
  #looking: Promise<MatcherState> = Promise.resolve(absent)
  #watcher: FSWatcher | null = null
  #settling: NodeJS.Timeout | null = null

  constructor(path: string, options: MatcherFileOptions = {}) {
    const { log = () => {}, emptyMs = emptyMsDefault, reader } = options
    this.path = path
    this.#emptyMs = emptyMs
    this.#file = new ChangingFile(path, reader)
    this.#log = log
  }

  /** Costs a look at the file's time and size where it has not changed. */
  current(): Promise<MatcherState> {
    this.#looking = this.#looking.then(() => this.#look())
    return this.#looking
  }

  /**
   * Looks at the file as soon as it changes, so that the log says so at once and not with the next task. It is a comfort:
   * where watching is not possible, {@link current} still sees every change.
   */
  watch(): void {
    if (this.#watcher !== null) return
    try {
      // The folder, because a file that is replaced is another one to the system.
      this.#watcher = watch(dirname(this.path), { persistent: false }, (_, name) => {
        if (name === null || name === basename(this.path)) this.#settle()
      })
      this.#watcher.on('error', () => this[Symbol.dispose]())
    } catch {
      // No such folder, or no watches left.
    }
  }

  /** Ends the watch; the file can still be asked. */
  [Symbol.dispose](): void {
    this.#watcher?.close()
    this.#watcher = null
    if (this.#settling !== null) clearTimeout(this.#settling)
    this.#settling = null
  }

  #settle(ms = settleMs): void {
    if (this.#settling !== null || this.#watcher === null) return
    this.#settling = setTimeout(() => {
      this.#settling = null
      void this.current()
    }, ms).unref()
  }

  async #look(): Promise<MatcherState> {
    const source = this.#file.read()
    if (this.#mayBeWritten(source)) {
      this.#settle(this.#emptyMs)
      return this.#state
    }
    if (source !== this.#source) {
      this.#state = await this.#stateOf(source)
      this.#source = source
      if (this.#state.state === 'loaded') this.#good = this.#state.rules
      this.#tell()
    }
    return this.#state
  }

  /** Whether it is empty, and may be so only until its editor goes on. */
  #mayBeWritten(source: Source): boolean {
    const isEmpty = source.kind === 'text' && source.text.trim() === ''
    if (!isEmpty && source.kind !== 'absent') {
      this.#emptySince = null
      return false
    }
    this.#emptySince ??= performance.now()
    if (performance.now() - this.#emptySince >= this.#emptyMs) this.#good = []
    return isEmpty && this.#good.length > 0
  }

  async #stateOf(source: Source): Promise<MatcherState> {
    if (source.kind === 'absent') return absent
    if (source.kind === 'refused') return this.#refused(source.why)
    const { rules, findings } =
      source.kind === 'text' ? await parseMatchers(source.text) : unusable(source)
    if (rules !== null) return { state: 'loaded', rules, findings, problem: null }
    const error = findings.find(({ severity }) => severity === 'error') as Finding
    const problem = `${formatFinding(this.path, error)} ${this.#fallback()}`
    return { state: 'broken', rules: this.#good, findings, problem }
  }

  /** Nothing of what may not be used stays in use; its reader tells of it. */
  #refused(problem: string): MatcherState {
    this.#good = []
    return { state: 'broken', rules: [], findings: [], problem }
  }

  /** What a broken file leaves in use. */
  #fallback(): string {
    return this.#good.length > 0
      ? 'The last good matchers stay in use.'
      : 'No matchers are in use, only the default.'
  }

  #tell(): void {
    const { state, findings } = this.#state
    for (const finding of findings) this.#log(formatFinding(this.path, finding))
    if (state === 'broken' && findings.length > 0) this.#log(`${this.path}: ${this.#fallback()}`)
  }
}

function unusable({ why, before }: Extract<Source, { kind: 'unreadable' }>) {
  const lines = before.split('\n')
  const finding: Finding = {
    severity: 'error',
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
    message: `${why}.`,
  }
  return { rules: null, findings: [finding] }
}
