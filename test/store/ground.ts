import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ground } from '../../src/store/conformance/index.ts'
import { flaky, openStore, type Store } from '../../src/store/index.ts'

/** Ground whose stores lose an answer by a wrapper, for drivers with no network to lose it on. */
export const localGround = (
  open: () => Promise<Store>,
  dispose: () => PromiseLike<void> = async () => {},
): Ground => ({
  open,
  openLosingAnswer: async () => flaky(await open(), { failAfter: 1 }),
  [Symbol.asyncDispose]: dispose,
})

/** A folder for one test, gone with it. */
export async function temporaryFolder(): Promise<AsyncDisposable & { path(name: string): string }> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-'))
  return {
    path: (name) => join(folder, name),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

let names = 0
export const memoryGround = async (wrap = (store: Store): Store => store): Promise<Ground> => {
  const url = `memory:ground-${++names}`
  return localGround(async () => wrap(await openStore(url)))
}

export const sqliteGround = async (): Promise<Ground> => {
  const folder = await temporaryFolder()
  const open = () => openStore(`sqlite:${folder.path('store.db')}`)
  return localGround(open, () => folder[Symbol.asyncDispose]())
}
