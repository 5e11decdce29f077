import type { McpHttp, mcpHttp } from '../../mcp/index.ts'
import { shownUrl } from '../../store/internal.ts'
import { readerIn } from '../coven/grimoire.ts'
import { workspaceOf } from '../coven/workspace.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { Ending } from '../program/ending.ts'
import { listeningOf } from '../program/listening.ts'
import { listeningFailure } from '../program/listening-failure.ts'
import { listeningOptions } from '../program/listening-options.ts'
import { oneLine } from '../program/printable.ts'
import { serveLogOf } from '../program/serve-log.ts'
import {
  type Address,
  accessLines,
  addressData,
  docsLine,
  listensLines,
} from '../program/start-lines.ts'
import { shownStore } from './shown-store.ts'

export const serve: Command = {
  name: 'serve',
  about: 'serve list, plans, jobs, tree and queue over HTTP, with a page to look at them',
  details:
    'GET / is the page, GET /docs shows the API, /mcp is for agents. What workers that died have left is taken back, stale claims and old tasks of the tree are looked at. Requests for data need a token once there is one: that of the server (--token-file, --token or HOLDFAST_TOKEN), or a named one of the store (holdfast token add). Without any, every user of this machine has full access, and listening elsewhere is refused. Ctrl-C ends it in good order.',
  options: {
    ...listeningOptions(7700),
    samples: {
      about:
        'put a few samples of everything into a store that is empty, and run a worker for them',
    },
  },
  examples: [
    'holdfast serve',
    'holdfast serve --port 8000 --store nats://localhost:4222',
    'holdfast serve --socket ~/holdfast.sock',
    'holdfast serve --host 0.0.0.0 --token … --tls-cert c.pem --tls-key k.pem',
  ],
  creates: true,
  async run(context) {
    const listening = await listeningOf(context, 'HOLDFAST_TOKEN')
    const { storeUrl, folder, config } = await workspaceOf(context)
    const matcherReader = await readerIn(context, folder)
    await using store = await context.openStore({ url: storeUrl })
    const { serveHoldfast } = await import('../../http/index.ts')
    const { version: versionOf } = await import('../version.ts')
    const { webFolder } = await import('../package-folder.ts')
    const version = versionOf()
    const { log, accessLog } = await serveLogOf(context)
    const agent = (await context.setting('agent_id'))?.value ?? 'mcp'
    using ending = new Ending()
    await using serving = await serveHoldfast({
      ...{ store, folder, matcherReader, ...config, ...listening, version, log, accessLog },
      storeKind: storeUrl.slice(0, storeUrl.indexOf(':')),
      webFolder: webFolder(),
      mounts: ({ selectGrimoire }) => {
        const workplace = { store, directory: null, agent, selectGrimoire }
        return [{ path: '/mcp', handle: forAgents(workplace, { version, log }) }]
      },
    }).catch(async (error) => {
      throw await listeningFailure(context, error)
    })
    const samples = (await context.isOn('samples')) ? await import('./samples.ts') : null
    const sampled = (await samples?.beginWithSamples(context, store)) ?? null
    const lines = sampled && samples ? samples.sampleLines(sampled) : []
    const address = { ...serving, publicUrl: listening.publicUrl }
    await tellStart(context, address, { data: sampled ?? {}, lines })
    await using _ = (await samples?.startSampleWorker(store, log)) ?? null
    log(`Ending on ${await ending.asked}: requests under way are finished first.`)
  },
}

/** How long after its start a server loads what answers agents, unless one asks before. */
const loadAgentsAfterMs = 1_000

/**
 * What answers agents is most of what a server would have to load, which takes a tenth of a second: a server that has
 * started does it before the first one asks, so that no request waits for it.
 */
function forAgents(...given: Parameters<typeof mcpHttp>): McpHttp {
  let handle: Promise<McpHttp> | null = null
  const load = () => {
    handle ??= import('../../mcp/index.ts').then(({ mcpHttp }) => mcpHttp(...given))
    return handle
  }
  // What fails now fails again for who asks.
  setTimeout(() => void load().catch(() => {}), loadAgentsAfterMs).unref()
  return async (request, sent) => (await load())(request, sent)
}

async function tellStart(
  context: Context,
  address: Address,
  more: { readonly data: object; readonly lines: readonly string[] },
): Promise<void> {
  const choice = await context.storeChoice()
  const lines = [
    ...listensLines('holdfast', address),
    `The store is ${oneLine(shownStore(choice))}`,
    docsLine(address),
    ...accessLines(address),
    ...more.lines,
  ]
  const data = { ...addressData(address), store: shownUrl(choice.url), ...more.data }
  context.out.answer({ kind: 'server', data, lines })
}
