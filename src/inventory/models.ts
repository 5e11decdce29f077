import type { Holdings, Space } from '../collection/index.ts'
import { holdings as jobs } from '../jobs/internal.ts'
import { holdings as list } from '../list/internal.ts'
import { holdings as plan } from '../plan/internal.ts'
import { holdings as queue } from '../queue/internal.ts'
import { holdings as tree } from '../tree/internal.ts'

/** All that a store of Holdfast's may hold. */
export const models: readonly Holdings[] = [list, plan, jobs, tree, queue]

/** Whether a key lies in a space. */
export const isIn = ({ prefix, includes }: Space, key: string): boolean =>
  key.startsWith(`${prefix}/`) && (includes?.(key.slice(prefix.length + 1)) ?? true)

/** A space, and which of all it is, in the order in which they are copied. */
export interface Place {
  readonly nth: number
  readonly model: string
  readonly space: Space
}

const places: readonly Place[] = models
  .flatMap(({ model, spaces }) => spaces.map((space) => ({ model, space })))
  .map((each, nth) => ({ ...each, nth }))

/** Where a key lies; null for all that is no document, so an import can't plant anything else. */
export const placeOf = (key: string): Place | null =>
  places.find(({ space }) => isIn(space, key)) ?? null
