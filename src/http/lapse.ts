import type { Bindings } from './runner.ts'

/** How long a client has to take what it was sent before; then the connection is closed. */
const readingMsMax = 500

/** A stream that also ends once its caller may no longer ask, whether the client reads it or not. */
export function endingWhenLapsed(
  source: ReadableStream<Uint8Array>,
  { outgoing, whileAllowed }: Pick<Bindings, 'outgoing' | 'whileAllowed'>,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let isOver = false
  let stop = () => {}
  const end = (): boolean => {
    const isFirst = !isOver
    isOver = true
    stop()
    return isFirst
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stop = whileAllowed(() => {
          if (!end()) return
          controller.close()
          void reader.cancel().catch(() => {})
          setTimeout(() => {
            if (!outgoing.writableFinished) outgoing.destroy()
          }, readingMsMax).unref()
        })
      },
      async pull(controller) {
        const { value, done } = await reader.read().catch((error: unknown) => {
          end()
          throw error
        })
        if (isOver) return
        if (!done) controller.enqueue(value)
        else if (end()) controller.close()
      },
      async cancel(reason) {
        end()
        await reader.cancel(reason)
      },
    },
    // What waits here could still be read by who may no longer ask.
    { highWaterMark: 0 },
  )
}
