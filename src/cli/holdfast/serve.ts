import type { McpHttp, mcpHttp } from '../../mcp/index.ts'
import { shownUrl } from '../../store/internal.ts'
import { oneLine } from '../../terminal/index.ts'
import { currentGrimoireSelection, readerIn } from '../coven/grimoire.ts'
import { workspaceOf } from '../coven/workspace.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { ShutdownSignal } from '../program/io.ts'
import {
  type Address,
  accessLines,
  addressData,
  docsLine,
  listeningFailure,
  listeningOf,
  listeningOptions,
  listensLines,
  serveLogOf,
} from '../program/server.ts'
import { shownStore } from '../program/store-choice.ts'

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
    const { version: versionOf, webFolder } = await import('../package.ts')
    const version = versionOf()
    const { log, accessLog } = await serveLogOf(context)
    const agent = (await context.setting('agent_id'))?.value ?? 'mcp'
    using shutdown = new ShutdownSignal()
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
    await answerStarted(context, address, { data: sampled ?? {}, lines })
    await using _ = (await samples?.startSampleWorker(store, log)) ?? null
    log(`Ending on ${await shutdown.received}: requests under way are finished first.`)
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

async function answerStarted(
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

export const mcp: Command = {
  name: 'mcp',
  about:
    'serve plans, tree and list to an agent, by the Model Context Protocol on stdin and stdout',
  details:
    'An agent starts it by itself, in the directory of the project: name "holdfast mcp" as the command of a server in its settings. HOLDFAST_AGENT says who claims tasks; "mcp" if it is not set.',
  examples: ['holdfast mcp', 'holdfast mcp --store nats://localhost:4222'],
  creates: true,
  async run(context) {
    const { io, out } = context
    const [{ serveStdio }, { version }] = await Promise.all([
      import('../../mcp/index.ts'),
      import('../package.ts'),
    ])
    await using store = await context.openStore()
    const shutdown = new AbortController()
    const end = () => shutdown.abort()
    process.once('SIGINT', end).once('SIGTERM', end)
    const agent = (await context.setting('agent_id', ['HOLDFAST_AGENT']))?.value ?? 'mcp'
    const log = (line: string) => out.warn(line)
    const selectGrimoire = await currentGrimoireSelection(context, log)
    const workplace = { store, directory: io.cwd(), agent, selectGrimoire }
    out.note(`The store is ${shownStore(await context.storeChoice())}.`)
    await serveStdio(workplace, { version: version(), signal: shutdown.signal, log })
  },
}
