import assert from 'node:assert/strict'
import { openStore, type Store } from '../../src/store/index.ts'
import { ask } from './ask.ts'
import { servedAll } from './holdfast/served.ts'

export type Entry = Readonly<Record<string, unknown>>

export const token = 'the-right-token-of-this-server'
const ownBearer = { Host: 'localhost', Authorization: `Bearer ${token}` }
export const json = { 'Content-Type': 'application/json' }

/** A server that logs JSON, and what it logged since it was asked last. */
export async function logging(options = {}, given?: Store) {
  const entries: Entry[] = []
  const store = given ?? (await openStore('memory:'))
  const write = (entry: string | object) => entries.push(entry as Entry)
  const accessLog = { format: 'json' as const, program: 'holdfast', write }
  const serving = await servedAll(store, { token, accessLog, ...options })
  const { port } = new URL(serving.url)
  return {
    url: serving.url,
    ask: (path: string, more: { method?: string; headers?: object; body?: string } = {}) =>
      ask({
        port,
        path,
        method: more.method,
        body: more.body ?? '',
        headers: { ...ownBearer, ...more.headers },
      }),
    /** Without their times. */
    logged: () =>
      entries.splice(0).map(({ time, ...entry }) => {
        assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        return JSON.parse(JSON.stringify(entry)) as Entry
      }),
    [Symbol.asyncDispose]: async () => {
      await serving[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}
