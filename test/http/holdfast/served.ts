import { type HoldfastOptions, type Serving, serveHoldfast } from '../../../src/http/index.ts'
import { mcpHttp } from '../../../src/mcp/index.ts'
import type { Store } from '../../../src/store/index.ts'
import { Caller } from '../served.ts'

/** Serves all models of a store on a free port, with all that the program brings. */
export const servedAll = (store: Store, options: Partial<HoldfastOptions> = {}): Promise<Serving> =>
  serveHoldfast({
    store,
    storeKind: 'memory',
    folder: null,
    port: 0,
    mounts: ({ selectGrimoire }) => [
      mcpHttp(
        { store, directory: null, agent: 'mcp', selectGrimoire },
        { version: '0.0.0', log: () => {} },
      ),
    ],
    ...options,
  })

/** The same, and somebody to ask it. */
export async function opened(store: Store, options: Partial<HoldfastOptions> = {}) {
  const serving = await servedAll(store, options)
  return { api: await Caller.to(serving.url), serving }
}
