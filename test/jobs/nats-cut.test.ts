import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { TaskManager } from '../../src/jobs/index.ts'
import { openStore, prefixed, type StoreError } from '../../src/store/index.ts'
import { eventually, until } from '../eventually.ts'
import { type NatsFault, type NatsProxy, startNatsProxy } from '../proxy/nats-proxy.ts'
import { type NatsServer, startNats } from '../servers/nats.ts'
import { isSoak } from '../size.ts'
import { bytes } from './kit.ts'

/** An answer is missed after a third of it. */
const timeoutMs = 1_500
/** How long a worker looks for a task that may never have arrived. */
const workerMs = 1_000

const payload = bytes('x')
const submissions = { 'with a key': { payload, idempotencyKey: 'k' }, 'without a key': { payload } }
const faults = isSoak
  ? (['drop-answer', 'cut-answer', 'cut-request'] as const)
  : (['drop-answer', 'cut-request'] as const)
const workers: Readonly<Record<string, (manager: TaskManager, id: string) => Promise<unknown>>> = {
  'claims it': async () => {},
  ...(isSoak && { 'completes it': (manager: TaskManager, id: string) => manager.complete(id) }),
  'completes and deletes it': async (manager, id) => {
    await manager.complete(id)
    await manager.delete(id)
  },
}
const afterwards: Readonly<Record<string, (proxy: NatsProxy) => unknown>> = {
  'comes back': (proxy) => proxy.cutAll(),
  'stays away': (proxy) => proxy[Symbol.asyncDispose](),
}

/** Until the request that was meant has gone wrong, however slow the machine is. */
async function reached({ faults }: NatsProxy, fault: NatsFault): Promise<void> {
  await until(() => faults.counts[fault] > 0)
}

/** What a worker with a connection of its own does with the task as soon as it is there; how often that was. */
async function workFor(manager: TaskManager, act: (typeof workers)[string]): Promise<number> {
  const until = performance.now() + workerMs
  while (performance.now() < until) {
    const task = await manager.claimNext('worker-a')
    if (task !== null) {
      await act(manager, task.id)
      return 1
    }
    await sleep(20)
  }
  return 0
}

describe('a submission on a NATS server whose connection is cut', () => {
  let server: NatsServer
  let spaces = 0
  beforeAll(async () => {
    server = await startNats()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  for (const atomic of [true, false])
    for (const place of atomic ? [''] : ['.idem.', '.task.'])
      for (const fault of faults)
        for (const [connection, end] of Object.entries(afterwards))
          for (const [kind, submission] of Object.entries(submissions)) {
            if (place === '.idem.' && kind === 'without a key') continue
            for (const [what, act] of Object.entries(workers))
              test.concurrent(`${kind}, ${atomic ? 'in one batch' : `one by one at ${place}`}: ${fault}, the connection ${connection} when a worker ${what}`, async () => {
                const space = `space${++spaces}`
                await using proxy = await startNatsProxy(server.url)
                const parameters = `?timeout_ms=${timeoutMs}&atomic=${atomic}`
                await using direct = await openStore(`${server.url}?atomic=${atomic}`)
                // With so little patience, a busy machine may make it fail to open.
                await using cut = await eventually(() => openStore(`${proxy.url}${parameters}`))
                const worker = new TaskManager(prefixed(direct, space))
                // The bucket is made before anything goes wrong.
                await worker.delete(await doneBy(worker))
                proxy.faults.next(fault, ({ subject }) =>
                  subject.startsWith(`$KV.${space}.`) ? subject.includes(place) : false,
                )
                const submitting = new TaskManager(prefixed(cut, space))
                  .submit(submission)
                  .catch((thrown: unknown) => thrown)
                const working = reached(proxy, fault)
                  .then(() => workFor(worker, act))
                  .finally(() => end(proxy))
                const outcome = await submitting
                const runs = await working
                assert.equal(proxy.faults.counts[fault], 1)
                const { tasks } = await worker.list()
                const left = tasks.filter(({ attempts }) => attempts === 0).length
                if (typeof outcome === 'string') assert.equal(runs + left, 1)
                else {
                  const { code } = outcome as StoreError
                  assert.match(code, /^(unknown_outcome|unavailable)$/, String(outcome))
                  if (code === 'unavailable') assert.equal(runs + left, 0, String(outcome))
                }
              })
          }
})

async function doneBy(manager: TaskManager): Promise<string> {
  const id = await manager.submit({ payload })
  await manager.claim(id, 'worker-a')
  await manager.complete(id)
  return id
}
