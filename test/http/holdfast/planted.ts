import { create, type Store } from '../../../src/store/index.ts'

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Puts something there that no model would. */
export const plant = (store: Store, key: string, text = '{') =>
  store.commit([create(key, bytes(text))])
