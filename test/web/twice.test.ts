import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { hang, type Visit, withBrowser } from './browser.ts'
import { Served } from './served.ts'

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const told = { cmd: 'np' }

/** After the first press, in milliseconds: each would reach what the refusal of the one before has brought. */
const pressesMs = [0, 120, 400, 900, 1_300]

const hands = {
  mouse: async ({ page }: Visit, place: Place) => page.mouse.click(place.x, place.y),
  Enter: async ({ page }: Visit) => page.keyboard.press('Enter'),
  Space: async ({ page }: Visit) => page.keyboard.press('Space'),
}

const allHands = ['mouse', 'Enter', 'Space'] as const

interface Place {
  readonly x: number
  readonly y: number
}

interface Case {
  readonly path: string
  /** What is pressed, once it is ready for that. */
  readonly control: (guest: Visit) => Promise<Locator>
  readonly meanwhile: () => Promise<unknown>
  readonly now: () => Promise<unknown>
}

/** Playwright takes a control for enabled only once a press counts. */
const ready = (control: Locator): Promise<void> => control.click({ trial: true })

const centerOf = async (control: Locator): Promise<Place> => {
  const { x, y, width, height } = (await control.boundingBox()) ?? assert.fail('not in view')
  return { x: x + width / 2, y: y + height / 2 }
}

describe('presses that follow a refusal', () => {
  const { stay } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
  })
  afterAll(() => served[Symbol.asyncDispose]())

  let count = 0
  const named = (name: string) => async (guest: Visit) =>
    guest.page.getByRole('button', { name, exact: true })
  const inDialog = (guest: Visit, name: string) =>
    guest.page.getByRole('dialog').getByRole('button', { name, exact: true })

  const claimedJob = async (): Promise<Case> => {
    const id = await served.jobs.submit({ payload: bytes(++count), maxAttempts: 9 })
    await served.jobs.claim(id, 'w1')
    return {
      path: `jobs/${id}`,
      control: named('Take it back'),
      meanwhile: async () => {
        await served.jobs.retry(id)
        await served.jobs.claim(id, 'w2')
      },
      now: () => served.jobs.get(id),
    }
  }
  const failedJob = async (): Promise<Case> => {
    const id = await served.jobs.submit({ payload: bytes(++count), maxAttempts: 1 })
    await served.jobs.claim(id, 'w1')
    await served.jobs.fail(id, 'no paper')
    return {
      path: `jobs/${id}`,
      control: named('Try once more'),
      meanwhile: async () => {
        await served.jobs.retry(id, { attempts: 1 })
        await served.jobs.claim(id, 'w2')
        await served.jobs.fail(id, 'no ink')
      },
      now: () => served.jobs.get(id),
    }
  }
  const cancelled = async (): Promise<Case> => {
    const { id } = await served.queue.submit({ type: 'twice' })
    return {
      path: `queue/task/${id}`,
      control: named('Cancel'),
      meanwhile: async () => {
        await served.queue.cancel(id)
        await served.queue.replay(id)
      },
      now: () => served.queue.get(id),
    }
  }
  const archived = async (): Promise<Case> => {
    const { id } = await served.queue.submit({ type: 'twice' })
    await served.queue.cancel(id)
    return {
      path: `queue/task/${id}`,
      control: named('Archive'),
      meanwhile: () => served.queue.archive(id),
      now: () => served.queue.get(id),
    }
  }
  const released = async (): Promise<Case> => {
    const { id } = await served.tree.create({ title: `Branch ${++count}` })
    await served.tree.claim(id, 'ann')
    return {
      path: `tree/task/${id}`,
      control: named('Release'),
      meanwhile: async () => {
        await served.tree.release(id, 'ann')
        await served.tree.claim(id, 'bob')
      },
      now: () => served.tree.get(id),
    }
  }
  const onBoard = async (): Promise<Case> => {
    const title = `Branch ${++count}`
    const { id } = await served.tree.create({ title })
    return {
      path: 'tree/board',
      control: async (guest) => {
        await guest.press(`Move ${title}`)
        return inDialog(guest, 'in progress')
      },
      meanwhile: () => served.tree.update(id, { body: 'Do not touch this' }, 'grace'),
      now: () => served.tree.get(id),
    }
  }
  const onList = async (): Promise<Case> => {
    // The newest is above, and the one that leaves lets the other take its place.
    const other = await served.list.add(`Not meant ${++count}`)
    const { id } = await served.list.add(`Errand ${count}`)
    return {
      path: 'lists',
      control: async (guest) => guest.page.getByRole('checkbox', { name: `Errand ${count}` }),
      meanwhile: () => served.list.update(id, { done: true }),
      now: async () => [await served.list.get(id), await served.list.get(other.id)],
    }
  }
  const retagged = async (): Promise<Case> => {
    const { id } = await served.list.add(`Errand ${++count}`)
    return {
      path: 'lists',
      control: async (guest) => guest.page.getByRole('checkbox', { name: `Errand ${count}` }),
      meanwhile: () => served.list.update(id, { tags: ['keep'] }),
      now: () => served.list.get(id),
    }
  }
  const goal = async (): Promise<Case> => {
    const { sid } = (await served.plans.start(served.folder(`plan ${++count}`))).session
    await served.plans.setGoal(sid, { title: 'A goal', description: '' }, told)
    return {
      path: `plans/${sid}`,
      control: async (guest) => {
        await guest.press('Edit the goal')
        await guest.page.getByLabel('Title').fill('Mine')
        await guest.page.getByLabel('Reason').fill('Because')
        return inDialog(guest, 'Save')
      },
      meanwhile: () =>
        served.plans.updateGoal(sid, { description: 'Theirs' }, { ...told, reason: 'better' }),
      now: async () => (await served.plans.plan(sid)).goal,
    }
  }
  const edited = async (): Promise<Case> => {
    const { id } = await served.tree.create({ title: `Branch ${++count}` })
    return {
      path: `tree/task/${id}`,
      control: async (guest) => {
        await guest.press('Edit…')
        await guest.page.getByLabel('Title').fill('Mine')
        return inDialog(guest, 'Save')
      },
      meanwhile: () => served.tree.update(id, { title: 'Theirs' }, 'grace'),
      now: () => served.tree.get(id),
    }
  }

  const cases = {
    'a job that another worker has claimed since': claimedJob,
    'a job that has failed again since': failedJob,
    'a task of the queue that was cancelled and replayed': cancelled,
    'a task of the queue that was archived': archived,
    'a task of the tree that another has claimed since': released,
    'a card of the board that has changed since': onBoard,
    'a goal whose form turns into a choice of versions': goal,
    'a task of the tree whose form turns into a choice of versions': edited,
  }
  /** Enter does nothing to a checkbox. */
  const boxes = {
    'a task of the list that another has done': onList,
    'a task of the list that has another tag': retagged,
  }
  for (const [name, make] of Object.entries({ ...cases, ...boxes }))
    for (const hand of name in boxes ? (['mouse', 'Space'] as const) : allHands)
      test(`${name}: the next ones by ${hand} change nothing either`, async () => {
        const guest = await stay(`${served.url}#/between`)
        const { path, control, meanwhile, now } = await make()
        await guest.page.goto(`${served.url}#/${path}`)
        const pressed = await control(guest)
        await ready(pressed)
        let isFrozen = true
        await guest.page.route(
          ({ pathname }) => pathname.startsWith('/api/'),
          (route) => {
            const isRead = route.request().method() === 'GET'
            if (!isRead) isFrozen = false
            // The board reads a task once more before it changes it.
            const isOfBoard = path === 'tree/board' && !/\/tasks$/.test(route.request().url())
            return isRead && isFrozen && !isOfBoard ? hang(route) : route.fallback()
          },
        )
        await meanwhile()
        const before = JSON.stringify(await now())
        guest.expect(/40[39]|412/, /ERR_FAILED/)
        await pressed.focus()
        const place = await centerOf(pressed)
        const beganMs = performance.now()
        for (const atMs of pressesMs) {
          await guest.page.waitForTimeout(Math.max(0, beganMs + atMs - performance.now()))
          await hands[hand](guest, place)
        }
        await guest.says(/Nothing was (changed|saved)|Someone else changed this|is in progress now/)
        assert.equal(JSON.stringify(await now()), before)
      })

  test('one press after the new state was seen does it', async () => {
    const guest = await stay(`${served.url}#/between`)
    const { path, meanwhile, now } = await claimedJob()
    await guest.page.goto(`${served.url}#/${path}`)
    await guest.says('w1')
    await meanwhile()
    await guest.says('w2')
    await guest.press('Take it back')
    await guest.says('The job is pending again.')
    assert.equal(((await now()) as { status: string }).status, 'pending')
  })

  test('a press just after the view has changed does nothing, and the page says why', async () => {
    const guest = await stay(`${served.url}#/between`)
    const { path, control, meanwhile, now } = await claimedJob()
    await guest.page.goto(`${served.url}#/${path}`)
    await ready(await control(guest))
    // The page presses by itself, in the moment in which the other worker is shown.
    await guest.page.evaluate(() => {
      const button = [...document.querySelectorAll('button')].find((each) =>
        each.textContent?.includes('Take it back'),
      )
      new MutationObserver((_, observer) => {
        if (!document.body.textContent?.includes('w2')) return
        observer.disconnect()
        button?.click()
      }).observe(document.body, { childList: true, subtree: true, characterData: true })
    })
    await meanwhile()
    await guest.says('This changed just before you pressed.')
    assert.match(JSON.stringify(await now()), /"w2"/)
  })

  test('the second half of a double click does not reach the opposite action', async () => {
    const guest = await stay(`${served.url}#/between`)
    const { id } = await served.queue.submit({ type: 'twice' })
    await served.queue.cancel(id)
    await guest.page.goto(`${served.url}#/queue/task/${id}`)
    const replay = await named('Replay')(guest)
    await ready(replay)
    const place = await centerOf(replay)
    await hands.mouse(guest, place)
    await guest.says('It is pending again')
    const cancel = await centerOf(await named('Cancel')(guest))
    await hands.mouse(guest, { x: cancel.x, y: cancel.y })
    await guest.page.waitForTimeout(500)
    assert.equal((await served.queue.get(id)).status, 'pending')
    await guest.says('It is pending again')
  })

  test('a task of the list that is done lets no other one be done by the same double click', async () => {
    const guest = await stay(`${served.url}#/between`)
    const texts = ['First', 'Second', 'Third']
    for (const text of texts) await served.list.add(text, ['double'])
    await guest.page.goto(`${served.url}#/lists?tag=double`)
    for (const by of ['mouse', 'Space'] as const) {
      const box = guest.page.getByRole('checkbox').first()
      await ready(box)
      await box.focus()
      const place = await centerOf(box)
      const open = async () => (await served.list.query({ any: ['double'], done: false })).length
      const left = await open()
      for (let n = 0; n < 4; n++) {
        await hands[by](guest, place)
        await guest.page.waitForTimeout(200)
      }
      await eventually(async () => assert.equal(await open(), left - 1))
    }
  })
})
