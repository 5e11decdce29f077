import type { ServerEvent } from './route.ts'

/** How often a client hears something on a quiet stream, so that it and all between know that we are there. */
const keepAliveMsDefault = 15_000
/** How long a client waits before it comes back. */
const retryMs = 2_000

const encoder = new TextEncoder()

/** Events in the form of `text/event-stream`, until there are no more or nobody reads. */
export function eventStream(
  events: AsyncIterable<ServerEvent>,
  keepAliveMs = keepAliveMsDefault,
): ReadableStream<Uint8Array> {
  const iterator = events[Symbol.asyncIterator]()
  let keepAlive: NodeJS.Timeout
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // At once, so that a client knows that it is connected.
      controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`))
      keepAlive = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0)
          controller.enqueue(encoder.encode(': still here\n\n'))
      }, keepAliveMs).unref()
    },
    async pull(controller) {
      try {
        const { value, done } = await iterator.next()
        if (!done) controller.enqueue(encoder.encode(textOf(value)))
        else {
          clearInterval(keepAlive)
          controller.close()
        }
      } catch (error) {
        clearInterval(keepAlive)
        controller.error(error)
      }
    },
    async cancel() {
      clearInterval(keepAlive)
      await iterator.return?.()
    },
  })
}

/** JSON has no line ends of its own, so data is one line. */
function textOf({ id, event, data }: ServerEvent): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(data === undefined ? [] : [`data: ${JSON.stringify(data)}`]),
  ]
  return `${lines.join('\n')}\n\n`
}
