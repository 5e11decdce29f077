import { decodeText, encodeText } from '../collection/index.ts'
import {
  compete,
  create,
  type Head,
  lost,
  remove,
  type Store,
  StoreError,
  update,
} from '../store/internal.ts'
import type { Told } from './change.ts'
import { prefixes, timeSegment } from './keys.ts'

/** A restoration that has begun: of this task, and of all that the pass of this time hid with it. */
interface Begun {
  readonly id: string
  readonly at: string
}

/** A restoration that began less than this ago is taken to be alive: its own process completes it, and counts what it brings back. */
const aliveMs = 5 * 60_000
/** For so long after a pass began, it may still be hiding what belongs to a family that is back. */
const passMaxMs = 3_600_000

/**
 * Says that a restoration begins, before anything is brought back: whoever finds that it died brings back the rest. The
 * note is written in every attempt anew, so who takes it away as they saw it never takes away that of a later attempt.
 */
export function noteBegun(
  store: Store,
  { id, at, told }: Begun & { readonly told: Told },
): Promise<Head> {
  const key = `${prefixes.restoring}/${id}/${timeSegment(at)}`
  const value = encodeText(`${at} ${told.at}`)
  return compete(`the restoration of ${id}`, async () => {
    const entry = await store.get(key)
    const revision = await written(store, entry ? update(entry, value) : create(key, value))
    return revision === null ? lost : { key, revision }
  })
}

/**
 * Takes the note away once the family is back. While the pass may still be under way it stays: `maintain` looks at the
 * family again then. So it does where the store fails here, for nothing but the note is left.
 */
export async function noteDone(
  store: Store,
  note: Head,
  { at, told }: { readonly at: string; readonly told: Told },
): Promise<void> {
  if (Date.parse(told.at) - Date.parse(at) < passMaxMs) return
  try {
    await store.commit([remove(note)])
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
  }
}

interface Noted extends Begun {
  readonly note: Head
  readonly isAlive: boolean
}

/** The restorations that have begun and are not known to have ended. */
export async function* begunRestorations(store: Store, { at: now }: Told): AsyncGenerator<Noted> {
  for await (const { key, revision, value } of store.scan(prefixes.restoring)) {
    const id = key.slice(prefixes.restoring.length + 1).split('/')[0] as string
    const [at = '', begunAt = ''] = decodeText(value).split(' ')
    const isAlive = Math.abs(Date.parse(now) - Date.parse(begunAt)) < aliveMs
    yield { id, at, note: { key, revision }, isAlive }
  }
}

/** Whether a restoration has begun, and is not known to have ended, of anything that the pass of this time hid. */
export async function isBeingRestored(
  store: Store,
  at: string | null,
  told: Told,
): Promise<boolean> {
  for await (const begun of begunRestorations(store, told)) if (begun.at === at) return true
  return false
}

/** The new revision; null where another was first, or where the answer was lost. */
async function written(store: Store, write: Parameters<Store['commit']>[0][number]) {
  try {
    const outcome = await store.commit([write])
    return (outcome.ok && outcome.revisions[0]) || null
  } catch (error) {
    if (error instanceof StoreError && error.code === 'unknown_outcome') return null
    throw error
  }
}
