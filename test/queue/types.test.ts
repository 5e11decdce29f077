import { expectTypeOf, test } from 'vitest'
import { type HandlerContext, taskType, type WorkerOptions } from '../../src/queue/index.ts'

test('a handler without a schema gets an unknown input', () => {
  const handlers: WorkerOptions['handlers'] = {
    any: (input, context) => {
      expectTypeOf(input).toBeUnknown()
      expectTypeOf(context).toEqualTypeOf<HandlerContext>()
    },
  }
  expectTypeOf(handlers).toExtend<WorkerOptions['handlers']>()
})

test('a handler may say what it takes, by an interface too', () => {
  interface Greeting {
    readonly name: string
  }
  const handlers = { greet: ({ name }: Greeting) => `Hello ${name}` }
  expectTypeOf(handlers).toExtend<WorkerOptions['handlers']>()
})

test('a handler of a typed task type gets what its type says', () => {
  const greet = taskType<{ name: string }, string>('greet')
  const handler = greet.handler((input) => {
    expectTypeOf(input).toEqualTypeOf<{ name: string }>()
    return input.name
  })
  expectTypeOf([handler]).toExtend<WorkerOptions['handlers']>()
})
