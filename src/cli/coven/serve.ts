import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { Ending } from '../program/ending.ts'
import { listeningFailure, listeningOf, listeningOptions } from '../program/listening.ts'
import { readerIn } from './grimoire.ts'
import { workspaceOf } from './workspace.ts'

export const serve: Command = {
  name: 'serve',
  about: 'serve the tree over HTTP, and look after it',
  details:
    'GET /docs shows the API. Stale claims and old tasks are looked at every 5 minutes. With a token, or COVEN_TOKEN, every request must bring it, but for that page; listening elsewhere than on this machine needs one. Ctrl-C ends it in good order.',
  options: listeningOptions(7600),
  examples: ['coven serve', 'coven serve --port 8000', 'COVEN_TOKEN=… coven serve --host 0.0.0.0'],
  creates: true,
  async run(context) {
    const listening = await listeningOf(context, 'COVEN_TOKEN')
    const { storeUrl, folder, config } = await workspaceOf(context)
    const matcherReader = await readerIn(context, folder)
    const { openStore } = await import('../../store/index.ts')
    await using store = await openStore(storeUrl)
    const { serveCoven } = await import('../../http/index.ts')
    const { version } = await import('../version.ts')
    const log = (line: string) => context.out.note(line)
    const options = {
      ...{ store, folder, matcherReader, ...config, ...listening },
      ...{ version: version(), log },
    }
    using ending = new Ending()
    await using serving = await serveCoven(options).catch(async (error) => {
      throw await listeningFailure(context, error)
    })
    tellStart(context, serving.url)
    log(`Ending on ${await ending.asked}: requests under way are finished first.`)
    await serving[Symbol.asyncDispose]()
    await backUp(context, store)
  },
}

function tellStart({ out }: Context, url: string): void {
  const lines = [`coven listens on ${url}`, `The API is shown at ${url}/docs`]
  out.answer({ kind: 'server', data: { url }, lines })
}

/** A copy is a comfort: where it can't be made, the store is as good as before. */
async function backUp({ out }: Context, store: { backup?: (() => Promise<string>) | undefined }) {
  if (!store.backup) return
  try {
    out.note(`A copy of the store is in ${await store.backup()}`)
  } catch (error) {
    out.warn(`No copy of the store could be written: ${(error as Error).message}`)
  }
}
