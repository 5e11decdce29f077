import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { withBrowser } from './browser.ts'
import { fill, type Scene } from './scene.ts'
import { Served } from './served.ts'

/** Where to put pictures of every view; they are made only where this is given. */
const pictures = process.env['HOLDFAST_PICTURES']

const views: Readonly<Record<string, (scene: Scene) => readonly [path: string, words: string]>> = {
  'queue-overview': () => ['queue', 'Newest tasks'],
  'queue-tasks': () => ['queue/tasks', 'newest first'],
  'queue-task': ({ queueTask }) => [`queue/task/${queueTask}`, 'From'],
  'queue-workers': () => ['queue/workers', 'worker-3'],
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

describe('every view', () => {
  const { visit } = withBrowser()
  let served: Served
  let scene: Scene
  beforeAll(async () => {
    served = await Served.start()
    scene = await fill(served)
  })
  afterAll(() => served[Symbol.asyncDispose]())

  for (const { name, width, height, colorScheme } of looks)
    test(`shows what there is, and fits, on a screen that is ${name}`, async () => {
      const guest = await visit(served.url, { viewport: { width, height }, colorScheme })
      for (const [view, address] of Object.entries(views)) {
        const [path, words] = address(scene)
        await guest.page.goto(`${served.url}#/${path}`)
        await guest.says(words)
        const overflow = await guest.page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        assert.equal(overflow, 0, `${view} is wider than the screen`)
        if (pictures === undefined) continue
        if (view === 'queue-overview') await guest.page.waitForTimeout(9_000)
        mkdirSync(pictures, { recursive: true })
        await guest.page.screenshot({ path: join(pictures, `${view}-${name}.png`) })
      }
      assert.deepEqual([...guest.hosts], [new URL(served.url).host], 'nobody else was asked')
    })
})
