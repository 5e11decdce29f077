// In which order the test files run: by what each took last time, so that no core is idle in between because all wait,
// nor at the end because one goes on for long.
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { lastTimes, type Times } from '../scripts/test-times.mjs'

/** So much of all the time belongs to files that rather wait: with six workers, two or three wait at any moment. */
const waitingShare = 0.4

/** New files first, for nobody knows how long they take; where all are, in the order that Vitest gives them. */
export class ByTimes extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const known = new Map(lastTimes().map((times) => [times.file, times]))
    const sorted = (await super.sort(specifications)).map((specification) => ({
      specification,
      times: known.get(relative(this.ctx.config.root, specification.moduleId)),
    }))
    const fresh = sorted.filter(({ times }) => times === undefined)
    const others = sorted.flatMap(({ specification, times }) =>
      times ? [{ ...times, specification }] : [],
    )
    return [...fresh, ...mixed(others)].map(({ specification }) => specification)
  }
}

/** Files that wait among those that work, evenly by their time; of each kind the longest first. */
export function mixed<T extends Times>(files: readonly T[]): T[] {
  const quota = waitingShare * sumOf(files)
  const [waiting, working]: [T[], T[]] = [[], []]
  let taken = 0
  for (const file of files.toSorted((a, b) => shareOf(a) - shareOf(b))) {
    ;(taken < quota ? waiting : working).push(file)
    taken += file.ms
  }
  return spread(longestFirst(waiting), longestFirst(working))
}

/** Always goes on with the list of which less has had its turn. */
function spread<T extends Times>(a: readonly T[], b: readonly T[]): T[] {
  const lists = [a, b].map((rest) => ({ rest: [...rest], ms: 0, total: sumOf(rest) }))
  const all: T[] = []
  while (all.length < a.length + b.length) {
    const [next] = lists
      .filter(({ rest }) => rest.length > 0)
      .sort((one, other) => one.ms / one.total - other.ms / other.total)
    const file = next!.rest.shift() as T
    next!.ms += file.ms
    all.push(file)
  }
  return all
}

const shareOf = ({ ms, processorMs }: Times): number => processorMs / ms
const sumOf = (files: readonly Times[]): number => files.reduce((sum, { ms }) => sum + ms, 0)
const longestFirst = <T extends Times>(files: readonly T[]): T[] =>
  files.toSorted((a, b) => b.ms - a.ms)
