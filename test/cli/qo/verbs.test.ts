import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Worker } from '../../../src/queue/index.ts'
import { until } from '../../eventually.ts'
import { deferred } from '../../queue/kit.ts'
import { within } from '../../rounds.ts'
import { cleanUp, memoryDesk, nobody } from './desk.ts'

cleanUp()

describe('qo replay', () => {
  test('makes a failed task pending again, with retry_count 0 and the attempts kept', async () => {
    const desk = memoryDesk()
    const { id, attempt } = await desk.ended('failed')
    assert.equal(await desk.qo('replay', id), `Task replayed: ${id}\n`)
    const task = await desk.status(id)
    assert.deepEqual([task.status, task.retry_count, task.attempt], ['pending', 0, attempt])
    assert.equal(task.available_at, task.updated_at)
  })

  test('of anything that is not failed is 6, also of what it has just replayed', async () => {
    const desk = memoryDesk()
    const { id } = await desk.ended('completed')
    const { exit, code } = await desk.refusal('replay', id)
    assert.deepEqual([exit, code], [6, 'refused'])
    const failed = await desk.ended('failed')
    await desk.qo('replay', failed.id)
    assert.equal((await desk.refusal('replay', failed.id)).exit, 6)
  })
})

describe('qo archive and unarchive', () => {
  test('put tasks away and bring them back as they were', async () => {
    const desk = memoryDesk()
    for (const status of ['completed', 'failed'] as const) {
      const { id } = await desk.ended(status)
      assert.equal(await desk.qo('archive', id), `Task archived: ${id}\n`)
      const archived = await desk.status(id)
      assert.deepEqual([archived.status, archived.archived_from], ['archived', status])
      assert.equal(await desk.qo('archive', id), `Task already archived: ${id}\n`)
      assert.equal(await desk.qo('unarchive', id), `Task unarchived: ${id} (status: ${status})\n`)
      const back = await desk.status(id)
      assert.deepEqual([back.status, back.archived_from], [status, null])
      assert.equal((await desk.refusal('unarchive', id)).exit, 6)
    }
  })

  test('a cancelled task comes back cancelled, and can be replayed', async () => {
    const desk = memoryDesk()
    const { id } = await desk.submit('-t', 'x')
    await desk.qo('cancel', id)
    assert.equal(await desk.qo('archive', id), `Task archived: ${id}\n`)
    assert.equal((await desk.status(id)).archived_from, 'cancelled')
    assert.match(await desk.qo('list', '--all'), / was cancelled\n$/)
    assert.equal(await desk.qo('unarchive', id), `Task unarchived: ${id} (status: cancelled)\n`)
    assert.equal(await desk.qo('replay', id), `Task replayed: ${id}\n`)
    assert.equal((await desk.status(id)).status, 'pending')
  })

  test('of a pending task is 6', async () => {
    const desk = memoryDesk()
    const { id } = await desk.submit('-t', 'x')
    assert.equal((await desk.refusal('archive', id)).exit, 6)
    assert.equal((await desk.refusal('unarchive', id)).exit, 6)
  })
})

describe('qo cancel', () => {
  test('ends a pending task; again it says so; of a completed one it is 6', async () => {
    const desk = memoryDesk()
    const { id } = await desk.submit('-t', 'x')
    assert.equal(await desk.qo('cancel', id), `Task cancelled: ${id}\n`)
    assert.equal((await desk.status(id)).status, 'cancelled')
    assert.equal(await desk.qo('cancel', id), `Task already cancelled: ${id}\n`)
    const { id: done } = await desk.ended('completed')
    assert.equal((await desk.refusal('cancel', done)).exit, 6)
  })

  test('asks for the end of a running one, 0; its handler sees the signal within 2 s', () =>
    within(2_000, async (timed) => {
      const desk = memoryDesk()
      const { id } = await desk.submit('-t', 'x')
      await desk.withQueue(async (queue, store) => {
        const [aborted, goOn] = [deferred(), deferred()]
        const handlers = {
          x: async (_: never, { signal }: { signal: AbortSignal }) => {
            signal.addEventListener('abort', () => aborted.resolve())
            await goOn.promise
            throw signal.reason
          },
        }
        await using worker = new Worker(store, { handlers })
        await worker.start()
        await until(() => worker.runningCount > 0)
        assert.equal(await desk.qo('cancel', id), `Cancel requested: ${id}\n`)
        await timed(() => aborted.promise)
        assert.match(await desk.qo('list'), / cancel requested, by /)
        assert.equal(await desk.qo('cancel', id), `Cancel already requested: ${id}\n`)
        goOn.resolve()
        assert.equal((await queue.wait(id)).status, 'cancelled')
      })
    }))
})

describe('several ids in one command', () => {
  test('are all resolved first: one that is missing, ambiguous or malformed keeps all as they are', async () => {
    const desk = memoryDesk()
    const { id } = await desk.submit('-t', 'x')
    await desk.submit('-t', 'x', '--id', 'abcd0000-0000-4000-8000-000000000001')
    await desk.submit('-t', 'x', '--id', 'abcd0000-0000-4000-8000-000000000002')
    assert.equal((await desk.refusal('cancel', id, nobody)).exit, 3)
    assert.equal((await desk.refusal('cancel', id, 'abcd')).exit, 5)
    assert.equal((await desk.refusal('cancel', id, 'x')).exit, 2)
    assert.equal((await desk.refusal('cancel')).exit, 2)
    assert.equal((await desk.status(id)).status, 'pending')
  })

  test('the same task twice counts once, and the answer is always a list', async () => {
    const desk = memoryDesk()
    const { id } = await desk.submit('-t', 'x')
    const { kind, data, total } = await desk.json('cancel', id, id.slice(0, 13), id.toUpperCase())
    assert.deepEqual([kind, total, data[0].status], ['task.list', 1, 'cancelled'])
  })

  test('what the state refuses is told for each, the others go through, and the exit code is the first refusal’s', async () => {
    const desk = memoryDesk()
    const [failed, completed] = [await desk.ended('failed'), await desk.ended('completed')]
    const { id: pending } = await desk.submit('-t', 'x')
    const { exit, stdout, stderr } = await desk.run(['archive', pending, failed.id, completed.id])
    assert.equal(exit, 6)
    assert.equal(stdout, `Task archived: ${failed.id}\nTask archived: ${completed.id}\n`)
    assert.match(
      stderr,
      new RegExp(`^qo: Task ${pending} is pending; only completed, failed and cancelled`),
    )
    const again = await desk.run(['unarchive', pending, failed.id, '--json'])
    const { data, errors } = JSON.parse(again.stdout)
    assert.deepEqual([again.exit, data.length, errors.length], [6, 1, 1])
    assert.deepEqual(Object.keys(errors[0]), ['code', 'message', 'next'])
  })

  test('--quiet says nothing of what went well', async () => {
    const desk = memoryDesk()
    const { id } = await desk.submit('-t', 'x')
    assert.equal(await desk.qo('cancel', id, '--quiet'), '')
  })
})
