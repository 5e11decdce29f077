import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { Ending } from '../program/ending.ts'
import { listeningOf } from '../program/listening.ts'
import { listeningFailure } from '../program/listening-failure.ts'
import { listeningOptions } from '../program/listening-options.ts'
import { type ServeLog, serveLogOf } from '../program/serve-log.ts'
import {
  type Address,
  accessLines,
  addressData,
  docsLine,
  listensLines,
} from '../program/start-lines.ts'
import { readerIn } from './grimoire.ts'
import { workspaceOf } from './workspace.ts'

export const serve: Command = {
  name: 'serve',
  about: 'serve the tree over HTTP, and look after it',
  details:
    'GET /docs shows the API. Stale claims and old tasks are looked at every 5 minutes. Requests other than for that page need a token once there is one: that of the server (--token-file, --token or COVEN_TOKEN), or a named one of the store (holdfast token add). Without any, every user of this machine has full access, and listening elsewhere is refused. Ctrl-C ends it in good order.',
  options: listeningOptions(7600),
  examples: [
    'coven serve',
    'coven serve --port 8000',
    'coven serve --host 0.0.0.0 --token … --tls-cert c.pem --tls-key k.pem',
  ],
  creates: true,
  async run(context) {
    const listening = await listeningOf(context, 'COVEN_TOKEN')
    const { storeUrl, folder, config } = await workspaceOf(context)
    const matcherReader = await readerIn(context, folder)
    const { openStore } = await import('../../store/internal.ts')
    await using store = await openStore(storeUrl)
    const { serveCoven } = await import('../../http/index.ts')
    const { version } = await import('../version.ts')
    const { log, warn, accessLog } = await serveLogOf(context)
    const options = {
      ...{ store, folder, matcherReader, ...config, ...listening },
      ...{ version: version(), log, accessLog },
    }
    using ending = new Ending()
    await using serving = await serveCoven(options).catch(async (error) => {
      throw await listeningFailure(context, error)
    })
    tellStart(context, { ...serving, publicUrl: listening.publicUrl })
    log(`Ending on ${await ending.asked}: requests under way are finished first.`)
    await serving[Symbol.asyncDispose]()
    await backUp(store, { log, warn })
  },
}

function tellStart({ out }: Context, address: Address): void {
  const lines = [...listensLines('coven', address), docsLine(address), ...accessLines(address)]
  out.answer({ kind: 'server', data: addressData(address), lines })
}

/** A copy is a comfort: where it can't be made, the store is as good as before. */
async function backUp(
  store: { backup?: (() => Promise<string>) | undefined },
  { log, warn }: Pick<ServeLog, 'log' | 'warn'>,
): Promise<void> {
  if (!store.backup) return
  try {
    log(`A copy of the store is in ${await store.backup()}`)
  } catch (error) {
    warn(`No copy of the store could be written: ${(error as Error).message}`)
  }
}
