import assert from 'node:assert/strict'
import { type Span, trace } from '@opentelemetry/api'
import { afterEach, test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { Bench } from './kit.ts'

afterEach(() => trace.disable())

test('every attempt is a span, where OpenTelemetry has a provider', async () => {
  const told: string[] = []
  const span = {
    recordException: ({ message, stack }: Error) => {
      assert.doesNotMatch(stack ?? '', /zebra/)
      told.push(`exception ${message}`)
    },
    setAttribute: (name: string, value: string) => told.push(`${name} ${value}`),
    setStatus: ({ code }: { code: number }) => told.push(`status ${code}`),
    end: () => told.push('end'),
  } as unknown as Span
  const provider = {
    getTracer: () => ({
      startActiveSpan: <T>(
        name: string,
        options: { attributes: object },
        run: (span: Span) => T,
      ): T => {
        told.push(`${name} ${JSON.stringify(options.attributes)}`)
        return run(span)
      },
    }),
  }
  trace.setGlobalTracerProvider(provider as never)
  await using store = await openStore('memory:')
  await using bench = new Bench(store)
  await bench.worker({
    handlers: {
      t: (input: unknown) => {
        if (input === 'bad') throw new Error('nats://ada:zebra@host is broken')
      },
    },
  })
  const { id } = await bench.queue.submit({ type: 't' })
  await bench.queue.wait(id)
  await bench.queue.wait((await bench.queue.submit({ type: 't', input: 'bad', maxRetries: 0 })).id)
  assert.match(
    told[0] ?? '',
    new RegExp(`^process t \\{.*"messaging.message.id":"${id}".*"holdfast.attempt":1\\}$`),
  )
  await bench.stop()
  assert.deepEqual(told.slice(1, 3), ['holdfast.outcome completed', 'end'])
  const failed = ['exception nats://…@host is broken', 'status 2', 'holdfast.outcome failed', 'end']
  assert.deepEqual(told.slice(4), failed)
})

test('without a provider nothing is traced, and tasks run all the same', async () => {
  await using store = await openStore('memory:')
  await using bench = new Bench(store)
  await bench.worker({ handlers: { t: () => 'done' } })
  const { id } = await bench.queue.submit({ type: 't' })
  assert.equal((await bench.queue.wait(id)).output, 'done')
})
