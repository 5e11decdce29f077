import { join } from 'node:path'
import type { Store } from '../../store/index.ts'
import {
  chooseGrimoire,
  MatcherFile,
  type RetentionOptions,
  retentionDefaults,
  TaskTree,
} from '../../tree/index.ts'
import { appOf } from '../app.ts'
import { HttpServer } from '../server.ts'
import { covenApi } from './api.ts'
import type { Matchers } from './insight.ts'
import { LiveFeed } from './live-feed.ts'
import { Caretaker } from './maintenance.ts'

export interface ServeOptions extends Partial<RetentionOptions> {
  /** Stays the caller's to dispose of. */
  readonly store: Store
  /** The folder `.coven`, which holds the matchers; null where there is none. */
  readonly folder: string | null
  readonly host?: string | undefined
  /** 0 for any that is free. */
  readonly port?: number | undefined
  readonly token?: string | null | undefined
  readonly version?: string | undefined
  /** Told a line of whatever an operator should know. */
  readonly log?: ((line: string) => void) | undefined
  readonly maintenanceMs?: number | undefined
  readonly bodyMsMax?: number | undefined
}

export const hostDefault = '127.0.0.1'
export const portDefault = 7600
export const bodyBytesMax = 1_000_000
const bodyMsMaxDefault = 10_000
const matchersName = 'grimoire-matchers.yaml'

/** A server that runs. Disposing of it ends it in good order. */
export interface Serving extends AsyncDisposable {
  readonly url: string
}

/** Serves a tree of tasks, and looks after it: claims that are stale, tasks that are old, rules that change. */
export async function serveCoven(options: ServeOptions): Promise<Serving> {
  const parts: AsyncDisposable[] = []
  try {
    const url = await begin(options, (part) => parts.push(part))
    let ended: Promise<void> | undefined
    return {
      url,
      [Symbol.asyncDispose]: () => {
        ended ??= endAll(parts)
        return ended
      },
    }
  } catch (error) {
    await endAll(parts)
    throw error
  }
}

/** The server, which was begun first, is the last that needs the others: it ends first, too. */
async function endAll(parts: readonly AsyncDisposable[]): Promise<void> {
  for (const part of parts) await part[Symbol.asyncDispose]()
}

async function begin(options: ServeOptions, add: (part: AsyncDisposable) => void) {
  const { log = () => {}, version = '0.0.0', bodyMsMax = bodyMsMaxDefault } = options
  const { host = hostDefault, port = portDefault, token = null } = options
  const { file, matchers } = matchersIn(options.folder, log)
  const tree = treeOf(options, matchers, log)
  const feed = new LiveFeed(tree, log)
  const api = covenApi({ tree, matchers, feed, version })
  const app = appOf(api, { bodyBytesMax, bodyMsMax, log })
  // First, so that a port that is taken ends it before anything is done.
  const server = await HttpServer.listen(app, { host, port, token })
  add(server)
  add({ [Symbol.asyncDispose]: async () => file?.[Symbol.dispose]() })
  const caretaker = new Caretaker(tree, log, options.maintenanceMs)
  add(caretaker)
  add(feed)
  // What is wrong with the rules is told now, not with the first claim.
  await matchers()
  file?.watch()
  await caretaker.start()
  await feed.start()
  return server.url
}

function matchersIn(folder: string | null, log: (line: string) => void) {
  const file = folder === null ? null : new MatcherFile(join(folder, matchersName), { log })
  const matchers: Matchers = async () => (await file?.current()) ?? { rules: [], problem: null }
  return { file, matchers }
}

function treeOf(options: ServeOptions, matchers: Matchers, log: (line: string) => void): TaskTree {
  const { store, claimTimeoutMs, retentionDays, softDeleteDays } = options
  return new TaskTree(store, {
    ...retentionDefaults,
    ...(claimTimeoutMs === undefined ? {} : { claimTimeoutMs }),
    ...(retentionDays === undefined ? {} : { retentionDays }),
    ...(softDeleteDays === undefined ? {} : { softDeleteDays }),
    onWarning: log,
    selectGrimoire: async (task, parent) =>
      chooseGrimoire(await matchers(), task, parent?.grimoire ?? null).grimoire,
  })
}
