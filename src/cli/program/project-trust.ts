import { dirname } from 'node:path'
import type { Found } from './config.ts'
import type { Io } from './io.ts'
import type { OpenedFile } from './opened-file.ts'
import { type FoundSetting, type SettingName, settingRules } from './setting.ts'
import { chooseStore } from './store-choice.ts'
import { hasCredentials, isStoreInside } from './store-place.ts'
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
    `${file.path} ${why}, and it sets ${listed(keys)}.`,
    'Read it, then run "holdfast trust" to let it count.',
  )
}

/** Throws a TrustError for secrets: whoever can read the project could read them. */
export function checkSecrets(found: Found): void {
  for (const [name, { origin, value }] of found) {
    if (settingRules[name].inProject === 'secret')
      throw new TrustError(
        `${origin}: ${name} never counts in the file of a project, trusted or not.`,
        'Give it by a flag or in the environment, or set it in your own config.yaml.',
      )
    if (name === 'store' && hasCredentials(value))
      throw new TrustError(
        `${origin}: the URL of the store holds credentials, or a path to some, which never count in the file of a project, trusted or not.`,
        'Leave them out there, and set them in the environment.',
      )
  }
}

/** The keys that count only in a trusted file. */
export function keysInNeed(io: Io, file: OpenedFile, found: Found): SettingName[] {
  return [...found.keys()].filter((name) => {
    const rule = settingRules[name].inProject
    if (rule !== 'by place') return rule === 'needs trust'
    const { url } = chooseStore(found.get(name) as FoundSetting, io)
    return !isStoreInside(url, dirname(file.realPath))
  })
}

/** `exec, host and a store outside its folder`. What they are set to is not quoted: an agent may read it. */
function listed(keys: readonly SettingName[]): string {
  const isElsewhere = (name: SettingName) => settingRules[name].inProject === 'by place'
  const named = keys.filter((name) => !isElsewhere(name)) as string[]
  const all = [...named, ...keys.filter(isElsewhere).map((name) => `a ${name} outside its folder`)]
  return [all.slice(0, -1).join(', '), all.at(-1)].filter(Boolean).join(' and ')
}
