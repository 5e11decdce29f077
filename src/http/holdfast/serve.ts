import { KnownTokens } from '../../access/index.ts'
import { RequestMetrics } from '../metrics/requests.ts'
import type { Mount } from '../mount.ts'
import { type Reception, type Serving, serve } from '../serving.ts'
import { siteOf } from '../site/site.ts'
import { Workshop, type WorkshopOptions } from '../tree/workshop.ts'
import { holdfastApi } from './api.ts'

export interface HoldfastOptions extends WorkshopOptions, Reception {
  /** The kind of store, as its URL says it. */
  readonly storeKind: string
  /** The folder of the page; null, or a folder that is not there, for none. */
  readonly webFolder?: string | null | undefined
  /** What else is served, given which grimoire a task of the tree is worked on with. */
  readonly mounts?: ((workshop: Pick<Workshop, 'selectGrimoire'>) => readonly Mount[]) | undefined
  readonly monitor?: { readonly checkIntervalMs?: number } | undefined
}

const portDefault = 7700
/** An input of the queue may have a million bytes; there must be room around it. */
const bodyBytesMax = 1_048_576

/** Serves all models of a store: the API, its documents, the page, and what looks after tree and queue. */
export async function serveHoldfast(options: HoldfastOptions): Promise<Serving> {
  const { log = () => {}, port = portDefault, webFolder = null } = options
  const workshop = new Workshop(options, log)
  const requests = new RequestMetrics()
  const { api, companions } = holdfastApi({ ...options, workshop, requests, log })
  return serve(api, [workshop, ...companions], {
    ...{ ...options, port, log, bodyBytesMax },
    tokens: new KnownTokens(options.store),
    site: siteOf(webFolder),
    mounts: options.mounts?.(workshop),
    observe: requests.observe,
  })
}
