import type { Holdings } from '../collection/index.ts'
import { keysOf, metaPrefix, sessionsPrefix } from './keys.ts'
import { Plans } from './plans.ts'

const isSession = (path: string): boolean => /^[^/]+\/meta$/.test(path)
const isDocument = (path: string): boolean => /^[^/]+\/(goal|task\/.+|meta\/.+)$/.test(path)
const isEvent = (path: string): boolean => /^[^/]+\/evt\//.test(path)

const sessionOf = (path: string): string => keysOf(path.split('/')[0] as string).meta

/** What of a store belongs to the plans, for exports, imports and checkups. */
export const holdings: Holdings = {
  model: 'plan',
  noun: 'sessions',
  // Events last: those that a document does not contain yet are applied to it, but none can be taken out.
  spaces: [
    { prefix: sessionsPrefix, includes: isSession },
    { prefix: metaPrefix },
    { prefix: sessionsPrefix, includes: isDocument, partOf: sessionOf },
    { prefix: sessionsPrefix, includes: isEvent, partOf: sessionOf },
  ],
  async repair(store, options) {
    const { mended, left } = await new Plans(store).repair(options)
    return { drift: mended, left }
  },
}
