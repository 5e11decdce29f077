import { type Lifetime, type Role, roles, Tokens } from '../../../src/access/index.ts'
import type { Store } from '../../../src/store/index.ts'

export type Bearer = Readonly<Record<'Authorization', string>>

/** The header of a new token. */
export async function bearer(
  store: Store,
  name: string,
  role: Role,
  lifetime?: Lifetime,
): Promise<Bearer> {
  const { secret } = await new Tokens(store).add(name, role, lifetime)
  return { Authorization: `Bearer ${secret}` }
}

/** One token of each role, named after it. */
export async function bearers(store: Store): Promise<Record<Role, Bearer>> {
  const all: Partial<Record<Role, Bearer>> = {}
  for (const role of roles) all[role] = await bearer(store, role, role)
  return all as Record<Role, Bearer>
}

/** All that a store holds but its tokens, as text. */
export async function contentsOf(store: Store): Promise<string> {
  let text = ''
  for await (const { key, value } of store.scan(''))
    if (!key.startsWith('holdfast_access/')) text += `${key} ${Buffer.from(value).toString()}\n`
  return text
}
