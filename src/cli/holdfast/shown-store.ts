import type { Context } from '../program/context.ts'
import type { StoreChoice } from '../program/store-choice.ts'

/** The URL of a store as it may be shown: without the password, or the token, that it may hold. */
export const shownUrl = (url: string): string => url.replace(/^([a-z0-9+]+:\/\/)[^/?#]*@/i, '$1…@')

/** A store for a person, with the workspace that it belongs to. */
export const shownStore = ({ url, workspace }: StoreChoice): string =>
  `${shownUrl(url)}${workspace === null ? '' : ` (workspace ${workspace})`}`

/** Says which store is used where that depends on the directory; a setting's is known to whoever made it. */
export async function tellWorkspaceStore(context: Context): Promise<void> {
  const choice = await context.storeChoice()
  if (choice.workspace !== null) context.out.note(`The store is ${shownStore(choice)}.`)
}
