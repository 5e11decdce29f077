import type { Serving } from '../../http/index.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { Ending } from '../program/ending.ts'
import {
  accessLines,
  listeningFailure,
  listeningOf,
  listeningOptions,
} from '../program/listening.ts'
import { workspaceOf } from './workspace.ts'

export const serve: Command = {
  name: 'serve',
  about: 'serve the tree over HTTP, and look after it',
  details:
    'GET /docs shows the API. Stale claims and old tasks are looked at every 5 minutes. Requests other than for that page need a token once there is one: that of the server (--token-file, --token or COVEN_TOKEN), or a named one of the store (holdfast token add). Without any, every user of this machine has full access, and listening elsewhere is refused. Ctrl-C ends it in good order.',
  options: listeningOptions(7600),
  examples: ['coven serve', 'coven serve --port 8000', 'COVEN_TOKEN=… coven serve --host 0.0.0.0'],
  creates: true,
  async run(context) {
    const listening = await listeningOf(context, 'COVEN_TOKEN')
    const { storeUrl, folder, config } = await workspaceOf(context)
    const { openStore } = await import('../../store/index.ts')
    await using store = await openStore(storeUrl)
    const { serveCoven } = await import('../../http/index.ts')
    const { version } = await import('../version.ts')
    const log = (line: string) => context.out.note(line)
    const options = { store, folder, ...config, ...listening, version: version(), log }
    using ending = new Ending()
    await using serving = await serveCoven(options).catch(async (error) => {
      throw await listeningFailure(context, error)
    })
    tellStart(context, serving)
    log(`Ending on ${await ending.asked}: requests under way are finished first.`)
    await serving[Symbol.asyncDispose]()
    await backUp(context, store)
  },
}

function tellStart({ out }: Context, { url, needsToken }: Serving): void {
  const lines = [
    `coven listens on ${url}`,
    `The API is shown at ${url}/docs`,
    ...accessLines({ needsToken }),
  ]
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
