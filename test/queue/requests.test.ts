import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { Queue, Worker } from '../../src/queue/index.ts'
import type { S3Requests } from '../../src/store/drivers/s3/requests.ts'
import { type Store, s3Requests } from '../../src/store/internal.ts'
import { measured } from '../rounds.ts'
import type { S3Account } from '../servers/s3.ts'
import { sharedMinio, sharedMinistack } from '../servers/shared.ts'
import { sized } from '../size.ts'
import { s3Bucket } from '../store/s3/ground.ts'
import { Bench } from './kit.ts'

const tasks = sized(25, 50)
const heartbeatMs = 15_000

const countOf = (store: Store): Readonly<S3Requests> => ({ ...(s3Requests(store) as S3Requests) })

/** Requests since a count; lists, which many tasks share, apart. */
function since(store: Store, before: Readonly<S3Requests>) {
  const now = countOf(store)
  const made = (kind: keyof S3Requests) => now[kind] - before[kind]
  return {
    lists: made('LIST'),
    others: made('GET') + made('HEAD') + made('PUT') + made('DELETE'),
    text: (Object.keys(now) as (keyof S3Requests)[])
      .map((kind) => `${made(kind)} ${kind}`)
      .join(', '),
  }
}

const servers: Readonly<Record<string, () => Promise<S3Account>>> = {
  MinIO: sharedMinio,
  ministack: sharedMinistack,
}

for (const [name, server] of Object.entries(servers))
  describe(`requests on ${name}`, () => {
    const bucketOf = () => s3Bucket(server(), { probe: 'known' })

    test('submit takes 2 a task, claim to completion 6, an idle worker 1 a poll', async () => {
      const { open } = await bucketOf()
      await using store = await open(`requests-${name.toLowerCase()}`)
      const queue = new Queue(store)
      await queue.submit({ type: 'warm-up' })
      let before = countOf(store)
      // Whoever wants the task with the answer pays no more.
      for (let at = 0; at < tasks; at++) {
        const task = { type: 't', input: at }
        await (at % 2 === 0 ? queue.submit(task) : queue.ensure(task, { full: true }))
      }
      const submitted = since(store, before)
      assert.ok(submitted.others <= 2 * tasks, submitted.text)

      before = countOf(store)
      const start = performance.now()
      let done = 0
      const worker = new Worker(store, {
        monitor: false,
        concurrency: 8,
        handlers: { t: () => ++done },
      })
      await worker.start()
      while (done < tasks) await sleep(20)
      while (worker.metrics.total('tasks_completed') < tasks) await sleep(5)
      const worked = since(store, before)
      // The registration is one, the task of another type is looked at once; then there are heartbeats.
      const heartbeats = 2 * Math.floor((performance.now() - start) / heartbeatMs)
      assert.ok(worked.others <= 6 * tasks + 4 + heartbeats, worked.text)

      // By now it pauses for seconds between its looks.
      await sleep(4_000)
      const idle = await measured(
        async () => {
          const beforeIt = countOf(store)
          const startedAt = performance.now()
          await sleep(6_000)
          const polls = Math.ceil((performance.now() - startedAt) / 3_000) + 1
          return { polls, ...since(store, beforeIt) }
        },
        // A heartbeat may fall into it, and a look at what is looked at seldom.
        ({ lists, others, polls }) => lists <= polls + 1 && others <= 1,
      )
      await worker.stop()
      process.stdout.write(
        `${name}: submit ${submitted.others / tasks} requests a task, claim to completion ` +
          `${worked.others / tasks} and ${worked.lists} lists for ${tasks} tasks (${worked.text}); ` +
          `idle for 6 s: ${idle.text}\n`,
      )
    })

    test('objects are readable with plain S3 tools, exactly where the specification puts them', async () => {
      const { open, account, bucket } = await bucketOf()
      const folder = `layout-${name.toLowerCase()}`
      await using store = await open(folder)
      await using bench = new Bench(store)
      const { id } = await bench.queue.submit({
        type: 't',
        input: 'x'.repeat(70_000),
        idempotencyKey: 'k',
      })
      const listed = await account.request(`/${bucket}?list-type=2&prefix=${folder}/`)
      const names = [...(await listed.text()).matchAll(/<Key>([^<]+)<\/Key>/g)].map(
        ([, each]) => each as string,
      )
      const minute = (await bench.queue.get(id)).available_at
      const place = String(Math.floor(Date.parse(minute) / 60_000)).padStart(10, '0')
      const shard = id.charAt(0)
      const ours = names
        .map((each) => each.slice(folder.length + 1))
        .filter((each) => !each.startsWith('holdfast/'))
      assert.deepEqual(ours.sort(), [
        `data/${shard}/${id}/input.json`,
        `ready/${shard}/${place}/${id}`,
        `tasks/${shard}/${id}.json`,
      ])
      assert.ok(names.some((each) => each.startsWith(`${folder}/holdfast/qo_own/idem/k`)))
      const object = await account.request(`/${bucket}/${folder}/tasks/${shard}/${id}.json`)
      const { _w: writeId, ...task } = JSON.parse(await object.text())
      assert.deepEqual(task, await bench.queue.get(id))
      assert.equal(typeof writeId, 'string')
      const input = await account.request(`/${bucket}/${folder}/data/${shard}/${id}/input.json`)
      assert.equal(await input.text(), JSON.stringify('x'.repeat(70_000)))
    })
  })
