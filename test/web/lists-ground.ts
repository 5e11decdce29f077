import type { Visit } from './browser.ts'
import { finish } from './outcomes.ts'
import type { Served } from './served.ts'

const rootCount = 60
/** More than are drawn at once. */
const taskCount = 120

/** Fills every list with more rows than are in view; answers with the ids of the queue's tasks. */
export async function fillLists(served: Served): Promise<readonly string[]> {
  const { tree, queue, list, jobs, plans } = served
  for (let at = 0; at < rootCount; at++) {
    const { id } = await tree.create({ title: `root ${at}` }, 'ann')
    if (at > 1) continue
    for (const name of ['first', 'second'])
      await tree.create({ title: `${name} part of ${at}`, parent_id: id }, 'ann')
  }
  const made = await queue.submitMany(
    Array.from({ length: taskCount }, (_, at) => ({
      type: `type-${at % 12}`,
      input: at,
      maxRetries: 0,
    })),
  )
  const ids = made.map(({ id }) => id)
  await finish(served.store, ids[5] as string, 'fail')
  for (let at = 0; at < 40; at++) await list.add(`to do ${at}`, ['home', `tag-${at % 7}`])
  for (let at = 0; at < 40; at++) {
    const id = await jobs.submit({ payload: Buffer.from(String(at)) })
    if (at >= 3) continue
    await jobs.claim(id, 'w')
    await jobs.complete(id)
  }
  const { session } = await plans.start(served.folder('shop'))
  await plans.setGoal(session.sid, { title: 'Ship the shop' }, { cmd: 'test' })
  return ids
}

/** What has the focus: its words, or its name. */
export const focused = ({ page }: Visit): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: at } = document
    return at === document.body ? 'BODY' : (at?.getAttribute('aria-label') ?? at?.textContent ?? '')
  })

/** The row that has the focus, by the words of its link. */
export const rowInFocus = ({ page }: Visit): Promise<string | null> =>
  page.evaluate(
    () => document.activeElement?.closest('[data-row]')?.getAttribute('data-row') ?? null,
  )
