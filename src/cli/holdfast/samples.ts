import { resolve } from 'node:path'
import { holdsNothing } from '../../inventory/index.ts'
import { type Store, shownUrl } from '../../store/internal.ts'
import { packageFolder } from '../package-folder.ts'
import type { Context } from '../program/context.ts'
import { shellWord } from '../program/shell-word.ts'
import { fillWithSamples } from './samples/fill.ts'

/** What there is to know of a store that was begun with samples, or was not. */
export interface Sampled {
  readonly store: string
  /** Whether they were put into it just now. */
  readonly samples: boolean
  /** Commands to try. */
  readonly try: readonly string[]
}

/**
 * Something to look at for who starts it the first time. Only a store that holds nothing gets samples: plans and tasks
 * of the queue are never deleted, so none gets them twice.
 */
export async function beginWithSamples(context: Context, store: Store): Promise<Sampled> {
  const isEmpty = await holdsNothing(store)
  if (isEmpty) await fillWithSamples(store, context.io.cwd())
  const { url } = await context.storeChoice()
  return { store: shownUrl(url), samples: isEmpty, try: await commandsToTry(context) }
}

export const sampleLines = ({ store, samples, try: commands }: Sampled): string[] => [
  `Everything is in ${store}${samples ? ', with a few samples of everything' : ''}.`,
  '',
  'To try in another terminal, in this directory, while you look at the page:',
  ...commands.map((command) => `  ${command}`),
  '',
  'Ctrl-C ends it; what is in the store stays.',
]

/** Each works on this store from this directory, whatever is in it, and changes what the page shows. */
async function commandsToTry(context: Context): Promise<string[]> {
  const setting = await context.setting('store')
  // Files and defaults hold for the next program, too; what has a password is not printed.
  const isTold = setting?.source === 'flag' || setting?.source === 'environment'
  const { url, workspace } = await context.storeChoice()
  // The programs that are named below know nothing of workspaces.
  const isNeeded = isTold || workspace !== null
  const option = isNeeded && url === shownUrl(url) ? ` --store ${shellWord(url)}` : ''
  const program = (name: string) => `${isCheckout(context) ? 'bin/' : ''}${name}`
  return [
    `${program('ut')} add "Water the plants" -t home${option}`,
    `${program('np')} l${option}`,
    `${program('qo')} submit -t sample.greet -i '{"name": "Ada"}'${option}`,
  ]
}

/** Whether it was started in the folder of the package itself, whose programs are on nobody's path. */
const isCheckout = ({ io }: Context): boolean => resolve(packageFolder()) === resolve(io.cwd())

export { startSampleWorker } from './samples/worker.ts'
