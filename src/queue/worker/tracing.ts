import type { Exception, Span, Tracer } from '@opentelemetry/api'
import { withoutSecrets } from '../../store/internal.ts'
import type { Task } from '../task.ts'
import type { Outcome } from './outcome.ts'

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

  /** The span of an attempt; it begins when that is run. */
  spanOf(task: Task): AttemptSpan {
    return new AttemptSpan(this.#api, this.#tracer, task)
  }
}

/** From the start of a handler to the end of the attempt in the store; the handler runs in it, and may add to it. */
export class AttemptSpan {
  readonly #api: Api
  readonly #tracer: Tracer
  readonly #task: Task
  #span: Span | null = null
  #hasThrown = false

  constructor(api: Api, tracer: Tracer, task: Task) {
    this.#api = api
    this.#tracer = tracer
    this.#task = task
  }

  run<T>(call: () => T | PromiseLike<T>): Promise<T> {
    const { id, task_type, attempt } = this.#task
    const attributes = {
      'messaging.system': 'holdfast',
      'messaging.operation.type': 'process',
      'messaging.destination.name': task_type,
      'messaging.message.id': id,
      'holdfast.attempt': attempt,
    }
    return this.#tracer.startActiveSpan(`process ${task_type}`, { attributes }, async (span) => {
      this.#span = span
      try {
        return await call()
      } catch (error) {
        this.#hasThrown = true
        span.recordException(exceptionOf(error))
        span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
        throw error
      }
    })
  }

  end(outcome: Outcome): void {
    const span = this.#span
    this.#span = null
    if (span === null) return
    span.setAttribute('holdfast.outcome', outcome)
    if (isBad(outcome) && !this.#hasThrown)
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: outcome })
    span.end()
  }
}

const isBad = (outcome: Outcome): boolean =>
  outcome !== 'completed' && outcome !== 'cancelled' && outcome !== 'requeued'

/** Traces go to other machines, and an error may quote the URL of a store. */
function exceptionOf(thrown: unknown): Exception {
  if (!(thrown instanceof Error)) return withoutSecrets(String(thrown))
  const { name, message, stack } = thrown
  const shown = { name, message: withoutSecrets(message) }
  return stack === undefined ? shown : { ...shown, stack: withoutSecrets(stack) }
}
