import { shownUrl } from '../../store/internal.ts'
import type { Context } from '../program/context.ts'
import type { StoreChoice } from '../program/store-choice.ts'

/** A store for a person, with the workspace that it belongs to. */
export const shownStore = ({ url, workspace }: StoreChoice): string =>
  `${shownUrl(url)}${workspace === null ? '' : ` (workspace ${workspace})`}`

/** Says which store is used where that depends on the directory; a setting's is known to whoever made it. */
export async function tellWorkspaceStore(context: Context): Promise<void> {
  const choice = await context.storeChoice()
  if (choice.workspace !== null) context.out.note(`The store is ${shownStore(choice)}.`)
}
