import type { Tracer } from '@opentelemetry/api'
import type { Task } from '../task.ts'

type Api = typeof import('@opentelemetry/api')

/** What a provider is while nobody has set one up. */
const noProvider = 'NoopTracerProvider'

/** Spans of attempts, for programs that have set up OpenTelemetry. The package is theirs to install. */
export class Tracing {
  readonly #api: Api
  readonly #tracer: Tracer

  private constructor(api: Api) {
    this.#api = api
    this.#tracer = api.trace.getTracer('holdfast/queue')
  }

  /** Null where the package is missing, or has no provider. */
  static async load(): Promise<Tracing | null> {
    const api = await import('@opentelemetry/api').catch(() => null)
    if (api === null) return null
    const provider = api.trace.getTracerProvider() as { getDelegate?: () => object }
    const actual = provider.getDelegate?.() ?? provider
    return actual.constructor.name === noProvider ? null : new Tracing(api)
  }

  /** Runs an attempt in a span of its own, which handlers may add to. */
  async run<T>({ id, task_type, attempt }: Task, call: () => T | PromiseLike<T>): Promise<T> {
    const attributes = {
      'messaging.system': 'holdfast',
      'messaging.operation.type': 'process',
      'messaging.destination.name': task_type,
      'messaging.message.id': id,
      'holdfast.attempt': attempt,
    }
    return this.#tracer.startActiveSpan(`process ${task_type}`, { attributes }, async (span) => {
      try {
        return await call()
      } catch (error) {
        span.recordException(error instanceof Error ? error : String(error))
        span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    })
  }
}
