import type { MatcherFile, MatcherState, TaskTreeOptions } from '../../tree/internal.ts'
import type { Context } from '../program/context.ts'
import { TrustError } from '../program/error.ts'
import { openSettings } from '../program/opened-file.ts'
import type { TrustCheck, TrustCheckedMatchers } from './config.ts'
import { library } from './tree.ts'
import { folderAbove, matchersIn } from './workspace.ts'

const trustAll: TrustCheck = () => null

/** The file of the workspace as it is, whether or not it counts for the store; null without a workspace. */
export async function matchersToCheck(context: Context): Promise<MatcherState> {
  return (await (await matcherFile(context, { trustCheck: trustAll }))?.current()) ?? none
}

/** What the workspace says by which grimoire a task is to be worked on; without one, only the task itself does. */
export async function matchersOf(context: Context): Promise<MatcherState> {
  return (await (await matcherFile(context))?.current()) ?? none
}

/** The same for a program that runs for long: it goes by the matchers as they are at each claim. */
export async function currentGrimoireSelection(
  context: Context,
  log: (line: string) => void,
): Promise<NonNullable<TaskTreeOptions['selectGrimoire']>> {
  const { chooseGrimoire } = await library()
  const file = await matcherFile(context, { log })
  return async (task, parent) =>
    chooseGrimoire((await file?.current()) ?? none, task, parent?.grimoire ?? null).grimoire
}

const none: MatcherState = { state: 'absent', rules: [], findings: [], problem: null }

async function matcherFile(
  context: Context,
  { trustCheck, log }: { trustCheck?: TrustCheck; log?: (line: string) => void } = {},
): Promise<MatcherFile | null> {
  const { MatcherFile } = await library()
  const folder = folderAbove(context.io)
  if (folder === null) return null
  const reader = await matcherReader(context, folder, { trustCheck, warn: log })
  return new MatcherFile(matchersIn(folder), { reader, ...(log && { log }) })
}

/** For a server on the chosen store; warns when the matchers do not count. */
export const readerIn = (context: Context, folder: string | null) =>
  folder === null
    ? undefined
    : matcherReader(context, folder, { warn: (text) => context.out.warn(text) })

/** Throws a TrustError where the file belongs to another user; calls `warn` at once where it is not trusted. */
async function matcherReader(
  context: Context,
  folder: string,
  {
    trustCheck,
    warn,
  }: { trustCheck?: TrustCheck | undefined; warn?: ((text: string) => void) | undefined } = {},
): Promise<TrustCheckedMatchers> {
  const { TrustCheckedMatchers, trustCheckFor } = await import('./config.ts')
  const path = matchersIn(folder)
  const opened = openSettings(path)
  if (opened.kind === 'foreign') throw new TrustError(opened.what, opened.next)
  const reader = new TrustCheckedMatchers(
    context,
    trustCheck ?? (await trustCheckFor(context, folder)),
    warn,
  )
  reader.read(path)
  return reader
}

/** Chooses when a task is claimed, and says where that is done with fewer matchers than there are. */
export async function grimoireSelection(
  context: Context,
): Promise<Pick<TaskTreeOptions, 'selectGrimoire'>> {
  const { chooseGrimoire } = await library()
  const matchers = await matchersOf(context)
  const skipped = matchers.rules.filter((rule) => 'skipped' in rule).length
  if (matchers.problem !== null) context.out.warn(matchers.problem)
  else if (skipped > 0)
    context.out.warn(
      `${skipped} of ${matchers.rules.length} matchers have errors, and were passed over. See "coven matchers check".`,
    )
  return {
    selectGrimoire: (task, parent) =>
      chooseGrimoire(matchers, task, parent?.grimoire ?? null).grimoire,
  }
}
