import type { Inputs } from './operation.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Place = 'path' | 'query' | 'header' | 'body'

/** Who acts, where an input called `agent` says it. */
export const agentHeader = 'X-Agent-ID'

/** An operation as HTTP has it: for the server that takes requests, and for clients that make them. */
export interface HttpForm {
  readonly method: Method
  /** As in `/api/things/:id`. */
  readonly path: string
  /** Where each input is. */
  readonly places: Readonly<Record<string, Place>>
}

export function httpForm({ http, input }: { http: string; input: Inputs }): HttpForm {
  const [method, target] = http.split(' ') as [Method, string]
  const [path, words = ''] = target.split('?') as [string, string?]
  const inPath: readonly string[] = path.match(/(?<=:)\w+/g) ?? []
  const inQuery = words.split('&')
  const placeOf = (name: string): Place => {
    if (inPath.includes(name)) return 'path'
    if (name === 'agent') return 'header'
    return method === 'GET' || inQuery.includes(name) ? 'query' : 'body'
  }
  const places = Object.fromEntries(Object.keys(input).map((name) => [name, placeOf(name)]))
  return { method, path, places }
}

/** Some of the inputs: those that are in one place. */
export const placed = <T>(
  values: Readonly<Record<string, T>>,
  { places }: Pick<HttpForm, 'places'>,
  place: Place,
): Record<string, T> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => places[name] === place))
