import { dirname } from 'node:path'
import type { Found } from './config.ts'
import type { Io } from './io.ts'
import type { OpenedFile } from './opened-file.ts'
import { type SettingName, settingRules } from './setting.ts'
import { chooseStore } from './store-choice.ts'
import { hasCredentials, isStoreForeign, isStoreInside } from './store-place.ts'
import { TrustError } from './trust-error.ts'
import { TrustRecord } from './trust-record.ts'

/** Throws a TrustError unless all that the file of a project says may count. */
export function checkProject(io: Io, file: OpenedFile, found: Found): void {
  checkSecrets(found)
  const keys = keysInNeed(io, file, found)
  if (keys.length === 0) return
  const trust = new TrustRecord(io).trustIn(file, 'project')
  if (trust === 'trusted') return
  const why = trust === 'changed' ? 'has changed since you trusted it' : 'is not trusted'
  throw new TrustError(
    `${file.path} ${why}, and it sets ${listed(keys, storeNeed(io, file, found))}.`,
    'Read it, then run "holdfast trust" to let it count.',
  )
}

/** Throws a TrustError for secrets in the URL of the store: everyone who can read the project could read them. */
export function checkSecrets(found: Found): void {
  const store = found.get('store')
  if (store === undefined || !hasCredentials(store.value)) return
  throw new TrustError(
    `${store.origin}: the URL of the store holds credentials, or a path to some, which never count in the file of a project, trusted or not.`,
    'Remove them there, and set them in the environment.',
  )
}

/** The keys that count only in a trusted file. */
export function keysInNeed(io: Io, file: OpenedFile, found: Found): SettingName[] {
  return [...found.keys()].filter((name) => {
    const rule = settingRules[name].inProject
    return rule === 'by place' ? storeNeed(io, file, found) !== null : rule === 'needs trust'
  })
}

/** What it is about a store that needs trust; null where nothing is. */
function storeNeed(io: Io, file: OpenedFile, found: Found): string | null {
  const store = found.get('store')
  if (store === undefined) return null
  const { url } = chooseStore(store, io)
  if (!isStoreInside(url, dirname(file.realPath))) return 'a store outside its folder'
  return isStoreForeign(url) ? 'a store that belongs to another user' : null
}

/** `exec, host and a store outside its folder`. What they are set to is not quoted: an agent may read it. */
function listed(keys: readonly SettingName[], store: string | null): string {
  const named = keys.filter((name) => settingRules[name].inProject !== 'by place') as string[]
  const all = store === null ? named : [...named, store]
  return [all.slice(0, -1).join(', '), all.at(-1)].filter(Boolean).join(' and ')
}
