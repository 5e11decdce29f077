import { join } from 'node:path'
import type { Store } from '../../store/internal.ts'
import {
  chooseGrimoire,
  MatcherFile,
  type MatcherReader,
  type RetentionOptions,
  retentionDefaults,
  TaskTree,
  type TaskTreeOptions,
} from '../../tree/internal.ts'
import type { Companion } from '../serving.ts'
import type { Matchers } from './insight.ts'
import { LiveFeed } from './live-feed.ts'
import { Caretaker } from './maintenance.ts'

export interface WorkshopOptions extends Partial<RetentionOptions> {
  /** Stays the caller's to dispose of. */
  readonly store: Store
  /** The folder `.coven`, which holds the matchers; null where there is none. */
  readonly folder: string | null
  /** Reads the matchers, and may refuse them; whatever can be read counts without one. */
  readonly matcherReader?: MatcherReader | undefined
  readonly maintenanceMs?: number | undefined
}

const matchersName = 'grimoire-matchers.yaml'

/** A tree that is looked after: claims that are stale, tasks that are old, rules that change, whoever follows. */
export class Workshop implements Companion {
  readonly tree: TaskTree
  readonly feed: LiveFeed
  readonly matchers: Matchers
  readonly selectGrimoire: NonNullable<TaskTreeOptions['selectGrimoire']>
  readonly #file: MatcherFile | null
  readonly #caretaker: Caretaker

  constructor(options: WorkshopOptions, log: (line: string) => void) {
    const { folder, maintenanceMs, matcherReader: reader } = options
    const file =
      folder === null ? null : new MatcherFile(join(folder, matchersName), { log, reader })
    const matchers: Matchers = async () => (await file?.current()) ?? { rules: [], problem: null }
    this.#file = file
    this.matchers = matchers
    this.selectGrimoire = async (task, parent) =>
      chooseGrimoire(await matchers(), task, parent?.grimoire ?? null).grimoire
    this.tree = treeOf(options, { onWarning: log, selectGrimoire: this.selectGrimoire })
    this.feed = new LiveFeed(this.tree, log)
    this.#caretaker = new Caretaker(this.tree, log, maintenanceMs)
  }

  async start(): Promise<void> {
    // What is wrong with the rules is told now, not with the first claim.
    await this.matchers()
    this.#file?.watch()
    await this.#caretaker.start()
    await this.feed.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#file?.[Symbol.dispose]()
    await this.#caretaker[Symbol.asyncDispose]()
    await this.feed[Symbol.asyncDispose]()
  }
}

function treeOf(options: WorkshopOptions, also: TaskTreeOptions): TaskTree {
  const { store, claimTimeoutMs, retentionDays, softDeleteDays } = options
  return new TaskTree(store, {
    ...retentionDefaults,
    ...(claimTimeoutMs === undefined ? {} : { claimTimeoutMs }),
    ...(retentionDays === undefined ? {} : { retentionDays }),
    ...(softDeleteDays === undefined ? {} : { softDeleteDays }),
    ...also,
  })
}
