import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { Registry } from '../../src/queue/registry.ts'
import { progressText } from '../../web/src/queue/progress.ts'
import { eventually } from '../eventually.ts'
import { type Visit, withBrowser } from './browser.ts'
import { claim } from './outcomes.ts'
import { Served } from './served.ts'

/** Something that is done on the page, and then undone by somebody else. */
interface Case {
  readonly name: string
  readonly ready: () => Promise<{ id: string; path: string }>
  readonly act: (guest: Visit) => Promise<unknown>
  readonly says: string | RegExp
  readonly undo: (id: string) => Promise<unknown>
  /** Whether a view that does not show it any more says nothing of it: it may be filtered out. */
  readonly isFiltered?: true
}

/** Something to wait for. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

describe('what the page says', () => {
  const { stay } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
  })
  afterAll(() => served[Symbol.asyncDispose]())

  let count = 0
  const bytes = new TextEncoder().encode('1')
  const branch = (place: string) => async () => {
    const { id } = await served.tree.create({ title: `Branch of ${place}` })
    return { id, path: place === 'board' ? 'tree/board' : `tree/task/${id}` }
  }
  const cases: readonly Case[] = [
    {
      name: 'a task of the queue that was replayed, and then claimed',
      ready: async () => {
        const id = await served.failedTask()
        return { id, path: `queue/task/${id}` }
      },
      act: (guest) => guest.press('Replay'),
      says: 'It is pending again, with all its retries.',
      undo: (id) => claim(served.store, id),
    },
    {
      name: 'a job that was retried, and then claimed',
      ready: async () => {
        const id = await served.jobs.submit({ payload: bytes, maxAttempts: 1 })
        await served.jobs.claim(id, 'w')
        await served.jobs.fail(id, 'no')
        return { id, path: `jobs/${id}` }
      },
      act: (guest) => guest.press('Try once more'),
      says: 'The job is pending again.',
      undo: (id) => served.jobs.claim(id, 'w'),
    },
    {
      name: 'a task of the tree that was claimed, and then released',
      ready: branch('page'),
      act: (guest) => guest.press('Claim'),
      says: 'It is claimed.',
      undo: (id) => served.tree.release(id, 'grace', { force: true }),
    },
    {
      name: 'a task of the tree that was edited, and then again',
      ready: branch('page'),
      act: async (guest) => {
        await guest.press('Edit…')
        await guest.page.getByLabel('Title').fill('Mine')
        await guest.press('Save')
      },
      says: 'Saved.',
      undo: (id) => served.tree.update(id, { title: 'Theirs' }, 'grace'),
    },
    {
      name: 'a task of the board that was moved, and then back',
      ready: branch('board'),
      act: async (guest) => {
        await guest.press('Move Branch of board')
        await guest.press('in progress')
      },
      says: '“Branch of board” is in progress now.',
      undo: (id) => served.tree.release(id, 'grace', { force: true }),
    },
    {
      name: 'a task of the list that was done, and then not',
      ready: async () => ({ id: (await served.list.add(`Errand ${++count}`)).id, path: 'lists' }),
      act: (guest) => guest.page.getByRole('checkbox', { name: `Errand ${count}` }).click(),
      says: /^“Errand \d” is done\.$/,
      undo: (id) => served.list.update(id, { done: false }),
    },
    {
      name: 'a task of the list that was edited, and then deleted',
      ready: async () => ({ id: (await served.list.add('Short')).id, path: 'lists?show=all' }),
      act: async (guest) => {
        await guest.press('Edit Short')
        await guest.page.getByRole('textbox', { name: 'Text' }).fill('Long')
        await guest.press('Save')
      },
      says: 'Saved “Long”.',
      undo: (id) => served.list.delete(id),
      isFiltered: true,
    },
  ]
  for (const { name, ready, act, says, undo, isFiltered } of cases) {
    test(`${name}: a notice of success goes when it is no longer true`, async () => {
      const guest = await stay(`${served.url}#/between`)
      const { id, path } = await ready()
      await guest.page.goto(`${served.url}#/${path}`)
      await act(guest)
      await guest.says(says)
      // It is not the next look that takes it away.
      await guest.page.waitForTimeout(1_500)
      assert.ok(await guest.page.getByText(says).first().isVisible())
      await undo(id)
      await guest.page.locator('.outcome .good').waitFor({ state: 'detached' })
    })

    if (isFiltered) continue
    test(`${name}, before the page looks again: it is not said as if it held`, async () => {
      const guest = await stay(`${served.url}#/between`)
      const { id, path } = await ready()
      await guest.page.goto(`${served.url}#/${path}`)
      await guest.page.route('**/api/**', async (route) => {
        if (route.request().method() === 'GET') return route.fallback()
        const response = await route.fetch()
        await undo(id)
        await route.fulfill({ response })
        isDone = true
      })
      let isDone = false
      await act(guest)
      await eventually(async () => assert.ok(isDone))
      await guest.page.locator('.outcome .good').waitFor({ state: 'detached' })
      await guest.page.waitForTimeout(300)
      assert.equal(await guest.page.locator('.outcome .good').count(), 0)
    })
  }

  test('of two actions at once, the refusal of one is not hidden by the success of the other', async () => {
    const { id } = await served.list.add('Contested')
    // With a tag of the same name no row of tags appears, which would move the rows under the mouse.
    await served.list.add('Free', ['theirs'])
    const guest = await stay(`${served.url}#/lists`)
    const box = (name: string) => guest.page.getByRole('checkbox', { name })
    for (const name of ['Contested', 'Free']) await box(name).click({ trial: true })
    const gates = { contested: gate(), free: gate() }
    await guest.page.route('**/api/list/tasks/*', async (route) => {
      if (route.request().method() === 'PATCH')
        await (route.request().url().includes(id) ? gates.contested : gates.free).opened
      await route.fallback()
    })
    // The page is behind until the first refusal.
    await guest.page.route('**/api/list/tasks?*', async (route) => {
      await gates.contested.opened
      await route.fallback()
    })
    await served.list.update(id, { tags: ['theirs'] })
    guest.expect(/412/)
    await box('Contested').click()
    await box('Free').click()
    gates.contested.open()
    await guest.page.locator('.outcome .bad').waitFor()
    gates.free.open()
    await guest.says('“Free” is done.')
    assert.ok(await guest.page.locator('.outcome .bad').isVisible())
    await guest.page.locator('li', { hasText: 'Contested' }).getByText('theirs').waitFor()
    assert.equal(await box('Contested').isChecked(), false, 'it is what it was')
  })

  test('a conflict is told once: the server’s words, and no others for the same', async () => {
    const id = await served.failedTask()
    const guest = await stay(`${served.url}#/queue/task/${id}`)
    await guest.says('Last error')
    await guest.page.route('**/api/queue/tasks/*', (route) =>
      route.request().method() === 'GET' ? route.abort() : route.fallback(),
    )
    await served.queue.archive(id)
    guest.expect(/412/, /ERR_FAILED/)
    await guest.press('Replay')
    const bad = guest.page.locator('.outcome .bad')
    await bad.waitFor()
    const sentences = (await bad.innerText()).split(/(?<=[.!?])\s+/)
    const advice = sentences.filter((sentence) =>
      /^(Look|Check|Try|Read|See|Decide)/.test(sentence),
    )
    assert.equal(advice.length, 1, sentences.join('\n'))
    assert.equal(sentences.length, 3, sentences.join('\n'))
  })

  test('a submit that got no answer: nobody retries it, and nobody says so', async () => {
    const guest = await stay(`${served.url}#/queue`)
    await guest.press('Submit a task')
    await guest.page.getByLabel('Type').fill('lost')
    await guest.page.route('**/api/queue/tasks', async (route) => {
      if (route.request().method() === 'GET') return route.fallback()
      await route.fetch()
      await route.abort()
    })
    guest.expect(/ERR_FAILED/)
    await guest.press('Submit')
    await guest.says('The server did not answer, so this may or may not have happened.')
    const dialog = await guest.page.getByRole('dialog').innerText()
    assert.doesNotMatch(dialog, /again by itself|keeps trying/)
    assert.equal(guest.count(/^POST/), 1)
    assert.equal((await served.queue.list({ type: 'lost' })).tasks.length, 1, 'and it has happened')
  })

  test('a look that failed is tried again, and that is said', async () => {
    const id = await served.failedTask('looked-at')
    const guest = await stay(`${served.url}#/queue/task/${id}`)
    await guest.says('Last error')
    guest.expect(/ERR_FAILED/)
    await guest.page.route('**/api/queue/tasks/*', (route) => route.abort())
    await served.queue.replay(id)
    await guest.says(/this may be out of date\..*The page keeps trying\./)
    await guest.page.unrouteAll()
    await guest.page.locator('h1 .status', { hasText: 'pending' }).waitFor()
  })

  test('a worker: its figures are as old as its heartbeat, and what has failed are attempts', async () => {
    const nowMs = await served.store.now()
    const running = [
      { id: 'a'.repeat(8), task_type: 'x', attempt: 1, progress: 0.9833333333333333 },
      { id: 'b'.repeat(8), task_type: 'x', attempt: 1, progress: 'page 3' },
    ]
    await new Registry(served.store, () => {}).put(
      {
        worker_id: 'w-1',
        started_at: new Date(nowMs - 600_000).toISOString(),
        last_heartbeat: new Date(nowMs - 12_000).toISOString(),
        shards: ['0'],
        current_task: null,
        tasks_completed: 1_204,
        tasks_failed: 7,
        task_types: ['x'],
        concurrency: 4,
        running,
      },
      null,
    )
    const guest = await stay(`${served.url}#/queue/workers`)
    const figures = guest.page.getByRole('region', { name: 'As of the last heartbeat' })
    await figures.getByText(/^As of its last heartbeat, 1\d s ago:$/).waitFor()
    await figures.getByText('tasks completed1,204').or(figures.getByText('1,204')).first().waitFor()
    await figures.locator('div', { hasText: /^attempts failed7$/ }).waitFor()
    await figures.getByText('98 %').waitFor()
    await figures.getByText('page 3').waitFor()
    assert.doesNotMatch(await figures.innerText(), /0\.98/)
  })

  test('counts say when they were counted', async () => {
    const guest = await stay(`${served.url}#/between`)
    await guest.page.route('**/api/queue/stats', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, headers: { ...response.headers(), age: '4' } })
    })
    await guest.page.goto(`${served.url}#/queue`)
    await guest.says(/^Counted [456] s ago\.$/)
  })

  test('progress is a share, a number or a text', () => {
    const texts: readonly [number | string, string][] = [
      [0, '0 %'],
      [0.005, '0 %'],
      [0.29, '29 %'],
      [0.9833333333333333, '98 %'],
      [0.999999, '99 %'],
      [1, '100 %'],
      [40, '40'],
      [1234.5678, '1,234.57'],
      [-1, '-1'],
      ['40 %', '40 %'],
      ['x'.repeat(200), 'x'.repeat(100)],
    ]
    for (const [progress, text] of texts) assert.equal(progressText(progress), text)
  })
})
