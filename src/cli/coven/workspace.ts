import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type RetentionOptions, retentionDefaults } from '../../tree/index.ts'
import type { Context } from '../program/context.ts'
import { chooseStore } from '../program/store-choice.ts'

/** Where a command works. */
export interface Workspace {
  readonly storeUrl: string
  /** The folder `.coven`; null where there is none. */
  readonly folder: string | null
  readonly config: RetentionOptions
  /** Whether the store is the workspace's own, `.coven/tasks.db`. */
  readonly isDefaultStore: boolean
}

/** The workspace of the working directory: the nearest folder `.coven`, there or above. */
export async function workspaceOf(context: Context): Promise<Workspace> {
  const { args, io, out } = context
  const folder = nearest(io.cwd())
  const isDefaultStore = args.value('store') === undefined && !io.env['HOLDFAST_STORE']
  const home = folder ?? join(io.cwd(), '.coven')
  const storeUrl = isDefaultStore
    ? `sqlite:${join(home, 'tasks.db')}`
    : await chooseStore(args.value('store'), io, (text) => out.warn(text))
  return {
    storeUrl,
    folder: folder ?? (isDefaultStore ? home : null),
    config: retentionDefaults,
    isDefaultStore,
  }
}

function nearest(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.coven'))) return join(folder, '.coven')
    if (folder === dirname(folder)) return null
  }
}
