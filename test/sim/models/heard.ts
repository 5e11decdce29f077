import { Refusal } from '../../../src/collection/index.ts'
import { StoreError } from '../../../src/store/index.ts'
import type { Scene } from '../model.ts'
import type { Process } from '../process.ts'

/** What to make of each sort of answer. */
interface Hearing<T> {
  done?(value: T): void
  /** The model said no; nothing has happened. */
  refused?(error: Refusal): void
  /** It is certain that the call has changed nothing: it was refused, or the store failed before. */
  nothingHappened?(): void
}

/** The one place where a client hears answers: refusals are answers, and a failure says whether something has happened. */
export async function heard<T>(
  { scene, process }: { readonly scene: Scene; readonly process: Process },
  call: Promise<T>,
  { done, refused, nothingHappened }: Hearing<T> = {},
): Promise<void> {
  try {
    const value = await call
    scene.note(process, () => `… ${JSON.stringify(value)?.slice(0, 300)}`)
    done?.(value)
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof StoreError)) throw error
    const name = error instanceof StoreError ? error.code : error.name
    scene.note(process, () => `… ${name}: ${error.message}`)
    if (error instanceof StoreError && error.code === 'unknown_outcome') return
    if (error instanceof Refusal) refused?.(error)
    nothingHappened?.()
  }
}
