import type { McpHttp, mcpHttp } from '../../mcp/index.ts'
import { workspaceOf } from '../coven/workspace.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { Ending } from '../program/ending.ts'
import {
  accessLines,
  listeningFailure,
  listeningOf,
  listeningOptions,
} from '../program/listening.ts'
import { oneLine } from '../program/printable.ts'
import { shownStore, shownUrl } from './shown-store.ts'

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
    'HOLDFAST_TOKEN=… holdfast serve --host 0.0.0.0',
  ],
  creates: true,
  async run(context) {
    const listening = await listeningOf(context, 'HOLDFAST_TOKEN')
    const { storeUrl, folder, config } = await workspaceOf(context)
    await using store = await context.openStore({ url: storeUrl })
    const { serveHoldfast } = await import('../../http/index.ts')
    const { version: versionOf } = await import('../version.ts')
    const { webFolder } = await import('../package-folder.ts')
    const version = versionOf()
    const log = (line: string) => context.out.note(line)
    const agent = (await context.setting('agent_id'))?.value ?? 'mcp'
    using ending = new Ending()
    await using serving = await serveHoldfast({
      ...{ store, folder, ...config, ...listening, version, log },
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
    await tellStart(
      context,
      { url: serving.url, needsToken: serving.needsToken, ...sampled },
      lines,
    )
    await using _ = (await samples?.startSampleWorker(store, log)) ?? null
    log(`Ending on ${await ending.asked}: requests under way are finished first.`)
  },
}

/** What answers agents is most of what a server would have to load: it is loaded when the first one asks. */
function forAgents(...given: Parameters<typeof mcpHttp>): McpHttp {
  let handle: Promise<McpHttp> | null = null
  const load = async () => (await import('../../mcp/index.ts')).mcpHttp(...given)
  return async (request, sent) => {
    handle ??= load()
    return (await handle)(request, sent)
  }
}

async function tellStart(
  context: Context,
  { url, needsToken, ...sampled }: { url: string; needsToken: boolean },
  more: readonly string[],
): Promise<void> {
  const choice = await context.storeChoice()
  const lines = [
    `holdfast listens on ${url}`,
    `The store is ${oneLine(shownStore(choice))}`,
    `The API is shown at ${url}/docs`,
    ...accessLines({ needsToken }),
    ...more,
  ]
  const data = { url, store: shownUrl(choice.url), ...sampled }
  context.out.answer({ kind: 'server', data, lines })
}
