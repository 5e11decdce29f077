import { type Client, holdfastClient } from '../../../src/client/index.ts'
import { hearTime } from '../clock.ts'

const timeoutMs = 15_000

/** Asks the server that the page came from. The token is in memory only. What failed is asked again when the page reads anew. */
export const clientAt = (base: URL, token: string | null): Client =>
  holdfastClient({ url: base, token, timeoutMs, retries: 0, fetch: hearingFetch })

/** Every answer tells the time. */
const hearingFetch: typeof fetch = async (...asked) => {
  const from = Date.now()
  const response = await fetch(...asked)
  const told = Date.parse(response.headers.get('Date') ?? '')
  if (!Number.isNaN(told)) hearTime(told, { from, to: Date.now(), grainMs: 1_000 })
  return response
}
