import { Plans } from '../../src/plan/index.ts'
import { limited, openStore, type Store, StoreError, type Write } from '../../src/store/index.ts'
import { altered } from '../store/altered.ts'

export const told = { cmd: 'np test', reason: 'because' }
export const path = '/nowhere/project'

export const lostAnswer = () => new StoreError('lost_answer', 'The answer was lost.', 'Look again.')
export const down = () => new StoreError('down', 'The store is away.', 'Try again.')
export const isUnknown = (error: unknown) => (error as StoreError).code === 'unknown_outcome'

/** A store of which a test decides what becomes of each commit, from the first of those with such a key on. */
export function meddled(
  store: Store,
  key: RegExp,
  meddle: (nth: number, commit: () => ReturnType<Store['commit']>) => ReturnType<Store['commit']>,
): Store {
  let nth = 0
  return altered(store, {
    commit: (writes: readonly Write[]) => {
      const commit = () => store.commit(writes)
      if (nth === 0 && !writes.some((write) => key.test(write.key))) return commit()
      return meddle(++nth, commit)
    },
  })
}

/** A store that takes so many writes at once, with a session. */
export async function begun(writesMax: number) {
  const store = limited(await openStore('memory:'), writesMax)
  const { session } = await new Plans(store).start(path)
  return { store, sid: session.sid }
}
