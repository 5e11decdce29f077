import { afterAll, beforeAll, describe, test } from 'vitest'
import { measured } from '../rounds.ts'
import { type Visit, withBrowser } from './browser.ts'
import { BucketScene } from './bucket.ts'

const quietMs = 800

/** How many requests each may take, the look at what has changed that follows among them. */
const most = { open: 28, list: 117, task: 3, cancel: 8, replay: 9, submit: 5 }

/** What the page asks the bucket for; its own files are not counted. */
const asked = (guest: Visit): string[] =>
  guest.requests.filter((request) => !/\/ui\/|favicon|\/api\//.test(request))

describe('a page asks a bucket of 400 tasks for no more than it takes', () => {
  const { visit } = withBrowser()
  let scene: BucketScene
  beforeAll(async () => {
    scene = await BucketScene.start()
    const tasks = Array.from({ length: 400 }, (_, at) => ({ type: 'many', input: at }))
    await scene.queue.submitMany(tasks)
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  /** The requests of a step up to where the page is quiet again. */
  async function requestsOf(guest: Visit, step: () => Promise<void>): Promise<number> {
    guest.requests.length = 0
    await step()
    for (let count = -1; count !== asked(guest).length; ) {
      count = asked(guest).length
      await guest.page.waitForTimeout(quietMs)
    }
    const requests = asked(guest)
    const kinds = ['GET', 'HEAD', 'PUT'].map(
      (kind) => `${requests.filter((each) => each.startsWith(kind)).length} ${kind}`,
    )
    process.stdout.write(`${requests.length} requests: ${kinds.join(', ')}\n`)
    return requests.length
  }

  /** A look that comes by time may fall into one. */
  const assertFew = (name: keyof typeof most, requests: () => Promise<number>) =>
    measured(requests, (count) => count <= most[name])

  /** A page with another view open. */
  const arrive = async (path = 'between') => {
    const guest = await visit(`${scene.url}#/${path}`)
    guest.expect(/40[034]/)
    await guest.says('Look at a bucket')
    return guest
  }

  test('to be opened, and to list tasks', async () => {
    await assertFew('open', async () => {
      await using guest = await arrive('queue')
      return await requestsOf(guest, async () => {
        await scene.connect(guest)
        await guest.says('Newest tasks')
      })
    })
    await assertFew('list', async () => {
      await using guest = await arrive()
      await scene.connect(guest)
      await guest.says('There is no such page.')
      return await requestsOf(guest, async () => {
        await guest.page.goto(`${scene.url}#/queue/tasks`)
        await guest.says('100 tasks loaded')
      })
    })
  })

  test('to show a task, cancel and replay it, and submit another', async () => {
    const guest = await arrive()
    await scene.connect(guest)
    const see = async (path: string, text: string) => {
      await guest.page.goto(`${scene.url}#/${path}`)
      await guest.says(text)
    }
    const act = (button: string, answer: string) => async () => {
      await guest.press(button)
      await guest.says(answer)
    }
    const steps = {
      task: async (id: string) => {
        await see('between', 'There is no such page.')
        return await requestsOf(guest, () => see(`queue/task/${id}`, 'attempt'))
      },
      cancel: () => requestsOf(guest, act('Cancel', 'It is cancelled.')),
      replay: () => requestsOf(guest, act('Replay', 'It is pending again, with all its retries.')),
    }
    for (const name of ['task', 'cancel', 'replay'] as const)
      await assertFew(name, async () => {
        // Ready since another minute than that of its replay.
        const availableAt = Date.now() - 3_600_000
        const { id } = await scene.queue.submit({ type: 'one', availableAt })
        const count = await steps.task(id)
        if (name === 'task') return count
        const cancelled = await steps.cancel()
        return name === 'cancel' ? cancelled : steps.replay()
      })
    await assertFew('submit', async () => {
      await see('queue', 'Newest tasks')
      await guest.press('Submit a task')
      await guest.page.getByLabel('Type').fill('listed')
      return await requestsOf(guest, async () => {
        await guest.press('Submit')
        await guest.page.locator('h1', { hasText: 'listed' }).waitFor()
      })
    })
  })
})
