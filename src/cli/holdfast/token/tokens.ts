import type { Token, Tokens } from '../../../access/index.ts'
import type { Context } from '../../program/context.ts'
import { tellWorkspaceStore } from '../shown-store.ts'

/** The tokens of the store that was chosen, for as long as it takes. */
export async function withTokens<T>(
  context: Context,
  use: (tokens: Tokens) => Promise<T>,
): Promise<T> {
  const { Tokens } = await import('../../../access/index.ts')
  await using store = await context.openStore()
  await tellWorkspaceStore(context)
  return await use(new Tokens(store))
}

/** When a token stops working, in words. */
export const expiryWords = ({ expires, expired }: Pick<Token, 'expires' | 'expired'>): string =>
  expires === null ? 'never expires' : `${expired ? 'expired' : 'expires'} ${expires}`

export const nameArgument = { name: 'NAME', about: 'the name of a token' }
