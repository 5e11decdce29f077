import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { faint, nameless, unreached } from './audit.ts'
import { type Visit, withBrowser } from './browser.ts'
import { fill, goOn, type Scene } from './scene.ts'
import { Served } from './served.ts'

/** Pictures show something going on, which takes a while. */
const isPictured = process.env['HOLDFAST_PICTURES'] !== undefined

const views: Readonly<Record<string, (scene: Scene) => readonly [path: string, words: string]>> = {
  'queue-tasks': () => ['queue/tasks', 'newest first'],
  'queue-task': ({ queueTask }) => [`queue/task/${queueTask}`, 'From'],
  'queue-workers': () => ['queue/workers', 'worker-3'],
  'queue-overview': () => ['queue', 'Newest tasks'],
  tree: () => ['tree', 'Move sign-in to passkeys'],
  'tree-board': () => ['tree/board', 'Choose a library'],
  'tree-task': ({ treeTask }) => [`tree/task/${treeTask}`, 'security-review'],
  plans: () => ['plans', 'Make checkout survive outages'],
  plan: ({ plan }) => [`plans/${plan}`, 'Goal set'],
  lists: () => ['lists', 'Buy milk'],
  jobs: () => ['jobs', 'claimed'],
  job: ({ job }) => [`jobs/${job}`, 'out of paper'],
}

const looks = [
  { name: 'light', width: 1280, height: 860, colorScheme: 'light' },
  { name: 'dark', width: 1280, height: 860, colorScheme: 'dark' },
  { name: 'phone', width: 390, height: 844, colorScheme: 'light' },
] as const

/** On every screen it fits, and whoever sees little, hears the page or has no mouse can use it as well. */
async function assertUsable(guest: Visit, view: string): Promise<void> {
  const { page } = guest
  for (const { name, width, height, colorScheme } of looks) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme })
    const where = `${view} on a screen that is ${name}`
    assert.equal(await page.evaluate<number>(overflow), 0, `${where} is wider than that`)
    await guest.picture(`${view}-${name}`)
    assert.deepEqual(await faint(page), [], `texts of ${where} that are hard to read`)
    assert.deepEqual(await nameless(page), [], `parts of ${where} without a name`)
    assert.deepEqual(await unreached(page), [], `what keys do not reach of ${where}`)
  }
}

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** What opens over a view, by the button that opens it. */
const dialogs = ({ plan }: Scene): Readonly<Record<string, string | RegExp>> => ({
  queue: 'Submit a task',
  tree: 'New task',
  'tree/board': /^Move /,
  [`plans/${plan}`]: /^Set the status of /,
  lists: /^Edit /,
})

describe('every view', () => {
  const { visit } = withBrowser()
  test('shows what there is, fits, and can be used, on every screen', async () => {
    await using served = await Served.start()
    const scene = await fill(served)
    await using guest = await visit(served.url, { reducedMotion: 'no-preference' })
    for (const [view, address] of Object.entries(views)) {
      const [path, words] = address(scene)
      await guest.page.goto(`${served.url}#/${path}`)
      await guest.says(words)
      if (isPictured && view === 'queue-overview') await goOn(served, 20_000)
      await assertUsable(guest, view)
    }
    for (const [path, button] of Object.entries(dialogs(scene))) {
      await guest.page.goto(`${served.url}#/${path}`)
      await guest.press(button)
      await guest.page.locator('dialog').waitFor()
      await assertUsable(guest, `${path.replace('/', '-')}-dialog`)
      await guest.press('Go back')
    }
    await guest.page.goto(`${served.url}#/lists`)
    await guest.press('Edit Buy milk')
    await guest.page.getByRole('textbox', { name: 'Text' }).fill('Buy oat milk')
    const [milk] = await served.list.query({ any: ['shopping'] })
    await served.list.update(milk?.id as string, { text: 'Buy milk and bread', tags: ['errand'] })
    guest.expect(/412/)
    await guest.press('Save')
    await guest.page.getByRole('region', { name: 'Both versions' }).waitFor()
    await assertUsable(guest, 'conflict')
    assert.deepEqual([...guest.hosts], [new URL(served.url).host], 'nobody else was asked')
  })
})
