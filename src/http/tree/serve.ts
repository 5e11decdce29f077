import { KnownTokens } from '../../access/index.ts'
import { type Reception, type Serving, serve } from '../serving.ts'
import { covenApi } from './api.ts'
import { Workshop, type WorkshopOptions } from './workshop.ts'

export interface ServeOptions extends WorkshopOptions, Reception {}

const portDefault = 7600
const bodyBytesMax = 1_000_000

/** Serves a tree of tasks, and looks after it. */
export async function serveCoven(options: ServeOptions): Promise<Serving> {
  const { log = () => {}, version = '0.0.0', port = portDefault } = options
  const workshop = new Workshop(options, log)
  const api = covenApi({ ...workshop, version })
  return serve(api, [workshop], {
    ...{ ...options, port, log, bodyBytesMax },
    tokens: new KnownTokens(options.store),
  })
}
