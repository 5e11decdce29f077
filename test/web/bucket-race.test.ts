import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { newLeaseId } from '../../src/queue/id.ts'
import { QueueError } from '../../src/queue/index.ts'
import { Repository } from '../../src/queue/repository.ts'
import { connectBucket } from '../../web/src/bucket/connect.ts'
import { Failure } from '../../web/src/source/failure.ts'
import type { QueueAction, SeenTask } from '../../web/src/source/source.ts'
import { Bench } from '../queue/kit.ts'
import type { S3Account } from '../servers/s3.ts'
import { region } from '../servers/s3.ts'
import { sharedMinio, sharedMinistack } from '../servers/shared.ts'
import { sized } from '../size.ts'
import { withBrowser } from './browser.ts'
import { BucketScene } from './bucket.ts'
import { webFolder } from './served.ts'

const rounds = sized(120, 1_500)
const shared = sized(60, 300)

/** What the page was told: that it was done, or what kind of no. */
type Told = 'done' | string

/** The page as far as it writes. */
interface Page {
  see(id: string): Promise<SeenTask>
  act(seen: SeenTask, action: QueueAction): Promise<Told>
}

const placeOf = ({ bucket, account }: BucketScene) => ({
  bucket,
  prefix: '',
  endpoint: account.endpoint,
  region,
})
const keysOf = ({ account: { accessKeyId, secretAccessKey } }: BucketScene) => ({
  accessKeyId,
  secretAccessKey,
  sessionToken: '',
})

/** That part of the page which a bucket needs, as it is written, on the `fetch` of Node. */
async function inNode(scene: BucketScene): Promise<Page> {
  const { queue } = await connectBucket(placeOf(scene), keysOf(scene))
  return {
    see: (id) => queue.get(id),
    act: (seen, action) =>
      queue.act(seen, action).then(
        () => 'done',
        (error: unknown) => {
          assert.ok(error instanceof Failure, String(error))
          return error.kind
        },
      ),
  }
}

/** A task is claimed by whoever wins it, and ended by its worker, while the page cancels it each time. */
async function race(scene: BucketScene, page: Page, count: number): Promise<void> {
  const worker = new Repository(scene.store, () => {})
  const submitted = await scene.queue.submitMany(
    Array.from({ length: count }, () => ({ type: 't' })),
  )
  const nowMs = (await scene.store.now()) + 5_000
  const won = { page: 0, worker: 0, both: 0 }
  /** How much sooner than the worker the page begins. */
  let leadMs = 0
  for (const [nth, { id }] of submitted.entries()) {
    const leaseId = newLeaseId()
    const held = (await worker.tasks.hold(id)) ?? assert.fail('it was submitted')
    const seen = await page.see(id)
    const [told, claimed] = await Promise.all([
      sleep(Math.max(0, -leadMs)).then(() => page.act(seen, 'cancel')),
      sleep(Math.max(0, leadMs)).then(() =>
        attempted(worker.changeHeld(held, ['claim', { workerId: 'w', leaseId, nowMs }])),
      ),
    ])
    // Whoever has lost begins a little sooner next time, so that the two stay close.
    leadMs += told === 'done' ? -1 : 1
    const task = await scene.queue.get(id)
    const context = `${nth}: the page was told ${told}, ${JSON.stringify(task)}`
    assert.notEqual(told === 'done', claimed, context)
    if (told === 'done') {
      assert.deepEqual([task.status, task.attempt], ['cancelled', 0], context)
      won.page++
      continue
    }
    assert.equal(told, 'conflict', context)
    assert.deepEqual([task.status, task.lease_id], ['running', leaseId], context)
    won.worker++
    const running = await page.see(id)
    const [asked, ended] = await Promise.all([
      page.act(running, 'cancel'),
      attempted(worker.change(id, ['complete', { leaseId, nowMs, output: nth }])),
    ])
    assert.ok(ended, 'nobody else may end it')
    const versions = await scene.queue.history(id)
    const isAsked = versions.some((version) => version.task.cancel_requested)
    assert.equal(asked, isAsked ? 'done' : 'conflict', JSON.stringify(versions))
    if (isAsked) won.both++
  }
  process.stdout.write(
    `of ${count} tasks the page won ${won.page}, the worker ${won.worker}; of these ${won.both} were asked to stop\n`,
  )
  assert.ok(won.page > 0 && won.worker > 0, 'there was a race')
  const { missing } = await scene.queue.repair({ dryRun: true })
  assert.equal(missing, 0, 'no entry of an index is missing')
}

async function attempted(change: Promise<unknown>): Promise<boolean> {
  try {
    await change
    return true
  } catch (error) {
    assert.ok(error instanceof QueueError, String(error))
    return false
  }
}

const servers: Readonly<Record<string, () => Promise<S3Account>>> = {
  MinIO: sharedMinio,
  ministack: sharedMinistack,
}

for (const [name, server] of Object.entries(servers))
  describe(`the page and workers on ${name}`, () => {
    let scene: BucketScene
    beforeAll(async () => {
      scene = await BucketScene.start({ account: await server() })
    })
    afterAll(() => scene[Symbol.asyncDispose]())

    test(`${rounds} tasks: one of the two wins each, and both are told who`, async () => {
      await race(scene, await inNode(scene), rounds)
    }, 600_000)

    test(`a worker runs ${shared} tasks while the page cancels them: what it was told is what happens`, async () => {
      const page = await inNode(scene)
      await using bench = new Bench(scene.store)
      const tasks = Array.from({ length: shared }, () => ({ type: 'run' }))
      const submitted = await bench.queue.submitMany(tasks)
      const seen = await Promise.all(submitted.map(({ id }) => page.see(id)))
      const runs = new Map<string, number>()
      const run = (_: unknown, { task: { id } }: { task: { id: string } }) => {
        runs.set(id, (runs.get(id) ?? 0) + 1)
      }
      const [told] = await Promise.all([
        Promise.all(
          seen.map(async (each, at) => {
            await sleep(100 + at * 10)
            return page.act(each, 'cancel')
          }),
        ),
        bench.worker({ handlers: { run }, concurrency: 4 }),
      ])
      for (const [at, { id }] of submitted.entries()) {
        const task = await bench.until(id, ({ status }) => /completed|cancelled/.test(status))
        const expected = told[at] === 'done' ? ['cancelled', 0] : ['completed', 1]
        assert.deepEqual([task.status, runs.get(id) ?? 0], expected, `${told[at]}`)
        assert.match(told[at] ?? '', /^(done|conflict)$/)
      }
      const cancelled = told.filter((each) => each === 'done').length
      process.stdout.write(`of ${shared} tasks the page cancelled ${cancelled}\n`)
    }, 600_000)
  })

describe('the page as it is published, in a browser', () => {
  const { visit } = withBrowser()
  let scene: BucketScene
  beforeAll(async () => {
    scene = await BucketScene.start()
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  test(`${rounds} tasks: one of the two wins each, and both are told who`, async () => {
    const guest = await visit(scene.url)
    guest.expect(/40[034]|412/)
    await guest.says('Look at a bucket')
    const part = readdirSync(join(webFolder, 'assets')).find((file) =>
      /^connect-.*\.js$/.test(file),
    )
    const given = [placeOf(scene), keysOf(scene)].map((each) => JSON.stringify(each))
    const url = new URL(`assets/${part}`, scene.url).href
    await guest.page.evaluate(
      `import('${url}').then(async ({ connectBucket }) => { globalThis.page = (await connectBucket(${given})).queue })`,
    )
    const page: Page = {
      see: (id) => guest.page.evaluate<SeenTask>(`page.get('${id}')`),
      act: (seen, action) =>
        guest.page.evaluate<Told>(
          `page.act(${JSON.stringify(seen)}, '${action}').then(() => 'done', ({ kind }) => kind)`,
        ),
    }
    await race(scene, page, rounds)
  }, 600_000)
})
