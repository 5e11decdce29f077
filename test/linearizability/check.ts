import type { History } from './history.ts'
import { flawsOfLists } from './lists.ts'
import { type Finding, looksMaxDefault, search } from './search.ts'
import { renamed, States } from './states.ts'
import { type Part, partsOf, type ReadModel } from './steps.ts'

export interface CheckOptions extends Partial<ReadModel> {
  /** How many steps to look at before giving up, which is no pass. */
  readonly looksMax?: number
}

export type Verdict =
  | { readonly type: 'linearizable' }
  /** What no order of the operations could explain. */
  | { readonly type: 'flawed'; readonly flaws: readonly string[] }
  | {
      readonly type: 'violation'
      readonly part: Part
      readonly finding: Extract<Finding, { type: 'violation' }>
    }
  | { readonly type: 'undecided'; readonly part: Part; readonly looks: number }

/** Whether what clients saw could have come from one map that does one call after another. */
export function check(
  history: History,
  { looksMax = looksMaxDefault, ...options }: CheckOptions = {},
): Verdict {
  const model: ReadModel = { reads: 'current', ...options }
  const states = new States(history)
  const renamings = model.reads === 'current' ? renamed(history) : []
  const flaws = [...states.flaws, ...renamings]
  if (flaws.length > 0) return { type: 'flawed', flaws }
  for (const part of partsOf(history, states, model)) {
    const finding = search(part, looksMax)
    if (finding.type === 'violation') return { type: 'violation', part, finding }
    if (finding.type === 'undecided') return { type: 'undecided', part, looks: finding.looks }
  }
  // Last, for what makes a list wrong is best seen in the order that can't be found.
  const flawsInLists = flawsOfLists(history, states)
  if (flawsInLists.length > 0) return { type: 'flawed', flaws: flawsInLists }
  return { type: 'linearizable' }
}
