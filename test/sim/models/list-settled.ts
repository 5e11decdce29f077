import type { Task, TaskList } from '../../../src/list/index.ts'
import type { Observer } from '../model.ts'
import { fits, short } from './list-oracle.ts'
import type { TagLists } from './list-tags.ts'

interface Settled {
  readonly observer: Observer
  readonly list: TaskList
  readonly tasks: readonly Task[]
  readonly tags: TagLists
  readonly violated: (what: string) => void
}

const listIdsMax = 500
/** What a change of one task with one tag may cost, however many tasks there are. */
const budget = { reads: 12, writes: 4, lists: 6 }

/** What must hold once nothing goes wrong any more, and leftovers have had time to be repaired. */
export async function checkSettled(settled: Settled): Promise<void> {
  const { list, tasks, tags, observer } = settled
  for (let round = 0; round < 2; round++) {
    await list.rebuildIndex()
    await observer.sleep(30_000)
  }
  const wanted = tagsOf(tasks)
  compareLists(settled, wanted)
  await compareAnswers(settled, wanted)
  await checkCosts(settled)
  for (const { tag } of tags.all()) if (tag === costsTag) settled.violated(`${tag} is left`)
}

function tagsOf(tasks: readonly Task[]): Map<string, Set<string>> {
  const wanted = new Map<string, Set<string>>()
  for (const { id, tags } of tasks)
    for (const tag of tags) wanted.set(tag, (wanted.get(tag) ?? new Set()).add(id))
  return wanted
}

/** The lists of tags are what the tasks say; what fits into one list is one, and nothing is empty. */
function compareLists(
  { tags, violated }: Settled,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  const left = new Set(wanted.keys())
  for (const { tag, lists } of tags.all()) {
    left.delete(tag)
    const ids = [...lists.values()].flatMap((each) => [...each])
    const expected = wanted.get(tag) ?? new Set()
    const extra = ids.filter((id) => !expected.has(id)).map(short)
    const missing = [...expected].filter((id) => !ids.includes(id)).map(short)
    if (extra.length > 0) violated(`the list of ${tag} still has ${extra.join(', ')}`)
    if (missing.length > 0) violated(`the list of ${tag} lacks ${missing.join(', ')} at the end`)
    if (ids.length > expected.size + extra.length) violated(`the list of ${tag} has ids twice`)
    checkSplit(tag, lists, violated)
  }
  for (const tag of left) violated(`the tag ${tag} has no list`)
}

function checkSplit(
  tag: string,
  lists: ReadonlyMap<string, ReadonlySet<string>>,
  violated: (what: string) => void,
): void {
  const total = [...lists.values()].reduce((sum, ids) => sum + ids.size, 0)
  if (lists.size > 1 && total <= listIdsMax) violated(`${tag} is split for ${total} ids`)
  for (const [digits, ids] of lists) {
    if (ids.size > listIdsMax) violated(`${tag}/${digits} has ${ids.size} ids`)
    for (const id of ids)
      if (!id.startsWith(digits)) violated(`${short(id)} is in ${tag}/${digits}`)
  }
}

async function compareAnswers(
  { list, tasks, violated }: Settled,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<void> {
  const { missing, corrupt, ...report } = {
    missing: 0,
    ...(await list.rebuildIndex({ dryRun: true })),
  }
  if (report.added > 0 || report.removed > 0 || missing > 0 || corrupt.length > 0)
    violated(`after a rebuild the index differs: ${JSON.stringify(report)}`)
  const counts = (await list.tags()).map(({ tag, count }) => `${tag} ${count}`)
  const expected = [...wanted].map(([tag, ids]) => `${tag} ${ids.size}`).sort()
  if (counts.join() !== expected.join())
    violated(`tags() gave ${counts.join()}, not ${expected.join()}`)
  const [a = 'none', b = 'none'] = wanted.keys()
  for (const asked of [
    {},
    { done: true },
    { any: [a, b] },
    { all: [a, b] },
    { any: [a], all: [b] },
  ]) {
    const found = (await list.query(asked)).map(({ id }) => id)
    const all = tasks.filter((task) => fits(task, asked)).toSorted(byTime)
    if (found.join() !== all.map(({ id }) => id).join())
      violated(`${JSON.stringify(asked)} gave ${found.length} of ${all.length} tasks at the end`)
  }
}

const byTime = (one: Task, other: Task): number =>
  `${one.created} ${one.id}` < `${other.created} ${other.id}` ? -1 : 1

const costsTag = 'costs'

/** A lone client pays the same whatever there is, and leaves nothing behind. */
async function checkCosts({ list, observer: { sim }, violated }: Settled): Promise<void> {
  let before = { ...sim.costs }
  const pay = (what: string) => {
    for (const name of ['reads', 'writes', 'lists'] as const)
      if (sim.costs[name] - before[name] > budget[name])
        violated(`${what} cost ${sim.costs[name] - before[name]} ${name}`)
    before = { ...sim.costs }
  }
  const { id } = await list.add('costs', [costsTag])
  pay('add')
  await list.update(id, { done: true })
  pay('done')
  await list.query({ any: [costsTag] })
  pay('a query for one task')
  await list.update(id, { tags: { remove: [costsTag], add: ['other-costs'] } })
  pay('a change of tags')
  await list.delete(id)
  pay('delete')
}
