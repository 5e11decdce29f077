import type { MatcherState, TaskTreeOptions } from '../../tree/index.ts'
import type { Context } from '../program/context.ts'
import { library } from './tree.ts'
import { folderAbove, matchersIn } from './workspace.ts'

/** What the workspace says by which grimoire a task is to be worked on; without one, only the task itself does. */
export async function matchersOf({ io }: Context): Promise<MatcherState> {
  const { MatcherFile } = await library()
  const folder = folderAbove(io)
  return folder === null ? none : new MatcherFile(matchersIn(folder)).current()
}

/** The same for a program that runs for long: it goes by the matchers as they are at each claim. */
export async function currentGrimoireSelection(
  { io }: Context,
  log: (line: string) => void,
): Promise<NonNullable<TaskTreeOptions['selectGrimoire']>> {
  const { chooseGrimoire, MatcherFile } = await library()
  const folder = folderAbove(io)
  const file = folder === null ? null : new MatcherFile(matchersIn(folder), { log })
  return async (task, parent) =>
    chooseGrimoire((await file?.current()) ?? none, task, parent?.grimoire ?? null).grimoire
}

const none: MatcherState = { state: 'absent', rules: [], findings: [], problem: null }

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
