import { afterAll, beforeAll, describe, test } from 'vitest'
import { assertUnharmed, type Behind } from './behind.ts'
import { type Visit, withBrowser } from './browser.ts'
import { claim, finish } from './outcomes.ts'
import { Served } from './served.ts'

const told = { cmd: 'np' }
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

describe('a page that is behind', () => {
  const { stay } = withBrowser()
  let served: Served
  beforeAll(async () => {
    served = await Served.start()
  })
  afterAll(() => served[Symbol.asyncDispose]())

  const press = (name: string) => (guest: Visit) => guest.press(name)
  let count = 0
  const fresh = (word: string) => `${word} ${++count}`

  const job = (
    name: string,
    button: string,
    ...more: [Behind['ready'], Behind['meanwhile']]
  ): Behind => ({
    name: `a job: ${name}`,
    ready: more[0],
    meanwhile: more[1],
    act: button === 'Delete' ? (guest) => guest.confirmDeletion(button) : press(button),
    now: (id) => served.jobs.get(id),
  })
  const submitted = async (prepare: (id: string) => Promise<unknown>, sees: string) => {
    const id = await served.jobs.submit({ payload: bytes(1), maxAttempts: 9 })
    await prepare(id)
    return { id, path: `jobs/${id}`, sees }
  }
  const failedJob = async () => {
    const id = await served.jobs.submit({ payload: bytes(1), maxAttempts: 1 })
    await served.jobs.claim(id, 'a')
    await served.jobs.fail(id, 'Out of paper')
    return { id, path: `jobs/${id}`, sees: 'Out of paper' }
  }
  const again = async (id: string) => {
    await served.jobs.retry(id, { attempts: 1 })
    await served.jobs.claim(id, 'b')
  }
  const jobCases: Behind[] = [
    job('delete one that has completed since', 'Delete', failedJob, async (id) => {
      await again(id)
      await served.jobs.complete(id, bytes({ paid: true }))
    }),
    job('retry one that has failed again since', 'Try once more', failedJob, async (id) => {
      await again(id)
      await served.jobs.fail(id, 'On fire')
    }),
    job(
      'take back one that another worker has claimed since',
      'Take it back',
      () => submitted((id) => served.jobs.claim(id, 'a'), 'Take it back'),
      async (id) => {
        await served.jobs.fail(id, 'no')
        await served.jobs.claim(id, 'b')
      },
    ),
    job(
      'take back one that the same worker has claimed anew',
      'Take it back',
      () => submitted((id) => served.jobs.claim(id, 'a'), 'Take it back'),
      async (id) => {
        await served.jobs.retry(id)
        await served.jobs.claim(id, 'a')
      },
    ),
  ]

  const queueCase = (
    name: string,
    button: string,
    prepare: (id: string) => Promise<unknown>,
    meanwhile: Behind['meanwhile'],
  ): Behind => ({
    name: `a task of the queue: ${name}`,
    ready: async () => {
      const type = fresh('type')
      const { id } = await served.queue.submit({ type, maxRetries: 0 })
      await prepare(id)
      return { id, path: `queue/task/${id}`, sees: type }
    },
    meanwhile,
    act: press(button),
    now: (id) => served.queue.get(id),
  })
  const fail = (id: string) => finish(served.store, id, 'fail')
  const queueCases = [
    queueCase('replay one that was archived', 'Replay', fail, (id) => served.queue.archive(id)),
    queueCase('archive one that was replayed', 'Archive', fail, (id) => served.queue.replay(id)),
    queueCase(
      'unarchive one that runs again',
      'Unarchive',
      async (id) => {
        await fail(id)
        await served.queue.archive(id)
      },
      async (id) => {
        await served.queue.unarchive(id)
        await served.queue.replay(id)
      },
    ),
    queueCase(
      'cancel one that has begun to run',
      'Cancel',
      async () => {},
      (id) => claim(served.store, id),
    ),
  ]

  const listCase = (
    name: string,
    act: (guest: Visit, text: string) => Promise<unknown>,
  ): Behind => ({
    name: `a task of the list: ${name}`,
    ready: async () => {
      const text = fresh('Errand')
      return { id: (await served.list.add(text)).id, path: 'lists', sees: text }
    },
    meanwhile: (id) => served.list.update(id, { tags: ['keep'] }),
    act: (guest) => act(guest, `Errand ${count}`),
    now: (id) => served.list.get(id),
  })
  const listCases = [
    listCase('done', (guest, text) => guest.page.getByRole('checkbox', { name: text }).click()),
    listCase('delete', (guest, text) => guest.confirmDeletion(`Delete ${text}`)),
    listCase('edit', async (guest, text) => {
      await guest.press(`Edit ${text}`)
      await guest.page.getByLabel(/^Text/).fill('Mine')
      await guest.press('Save')
    }),
  ]

  const planReady = async () => {
    const { sid } = (await served.plans.start(served.folder(fresh('plan')))).session
    await served.plans.setGoal(sid, { title: 'A goal', description: '' }, told)
    await served.plans.addTasks(sid, [{ title: 'A step', description: '' }], told)
    return { id: sid, path: `plans/${sid}`, sees: 'A step' }
  }
  const planCases: Behind[] = [
    {
      name: 'a plan: edit the goal',
      ready: planReady,
      meanwhile: (sid) =>
        served.plans.updateGoal(sid, { description: 'Theirs' }, { ...told, reason: 'better' }),
      act: async (guest) => {
        await guest.press('Edit the goal')
        await guest.page.getByLabel('Title').fill('Mine')
        await guest.page.getByLabel('Reason').fill('Because')
        await guest.press('Save')
      },
      now: async (sid) => (await served.plans.plan(sid)).goal,
    },
    {
      name: 'a plan: set a status',
      ready: planReady,
      meanwhile: async (sid) => {
        const id = (await served.plans.plan(sid)).tasks[0]?.id as string
        await served.plans.updateTasks(sid, [{ id, status: 'done' }], told)
      },
      act: async (guest) => {
        await guest.press('Set the status of A step')
        await guest.page.getByRole('dialog').getByLabel('Status').selectOption('in progress')
        await guest.press('Save')
      },
      now: async (sid) => (await served.plans.plan(sid)).tasks,
    },
  ]

  for (const each of [...jobCases, ...queueCases, ...listCases, ...planCases])
    test(`${each.name}: nothing is done to what nobody saw`, async () =>
      assertUnharmed(await stay(`${served.url}#/between`), served, each))
})
