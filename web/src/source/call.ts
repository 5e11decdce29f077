import type { Given, Inputs } from '../../../src/schema/operation.ts'
import type { Output } from '../../../src/schema/output.ts'
import { agentHeader, httpForm, type Place, placed } from '../../../src/schema/request.ts'
import { type Asked, ifMatch } from './http.ts'

/** What a client needs of an operation: `W` is what it answers with. */
export interface Row<I extends Inputs, W> {
  readonly http: string
  readonly input: I
  readonly output: Output<unknown, W>
}

/** What comes with a request beside its inputs. */
export interface Circumstances {
  readonly signal?: AbortSignal | undefined
  /** The state that was seen, as an ETag: the change is meant for that alone. Null where nobody has told it. */
  readonly state?: string | null
}

/** An operation as a request: its row says where each input goes. */
export function requestFor<I extends Inputs>(
  row: Row<I, unknown>,
  given: Given<I>,
  { signal, state }: Circumstances = {},
): readonly [path: string, asked: Asked] {
  const { method, path, places } = httpForm(row)
  const values = given as Readonly<Record<string, unknown>>
  const at = (place: Place) => placed(values, { places }, place)
  const { agent } = at('header')
  const hasBody = Object.values(places).includes('body')
  return [
    path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(values[name]))),
    {
      method,
      query: at('query') as NonNullable<Asked['query']>,
      ...(hasBody ? { body: at('body') } : {}),
      headers: {
        ...(agent === undefined ? {} : { [agentHeader]: String(agent) }),
        ...(state === undefined ? {} : ifMatch(state)),
      },
      signal,
    },
  ]
}
