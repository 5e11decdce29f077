import { workspaceOf } from '../coven/workspace.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { endOf, listeningOf, listeningOptions } from '../program/listening.ts'

export const serve: Command = {
  name: 'serve',
  about: 'serve list, plans, jobs, tree and queue over HTTP, with a page to look at them',
  details:
    'GET / is the page, GET /docs shows the API, /mcp is for agents. What workers that died have left is taken back, stale claims and old tasks of the tree are looked at. With a token, or HOLDFAST_TOKEN, every request for data must bring it; listening elsewhere than on this machine needs one. Ctrl-C ends it in good order.',
  options: listeningOptions(7700),
  examples: [
    'holdfast serve',
    'holdfast serve --port 8000 --store nats://localhost:4222',
    'HOLDFAST_TOKEN=… holdfast serve --host 0.0.0.0',
  ],
  creates: true,
  async run(context) {
    const listening = listeningOf(context, 'HOLDFAST_TOKEN')
    const { storeUrl, folder, config } = await workspaceOf(context)
    await using store = await context.openStore({ url: storeUrl })
    const { ListenError, serveHoldfast } = await import('../../http/index.ts')
    const { mcpHttp } = await import('../../mcp/index.ts')
    const { version: versionOf } = await import('../version.ts')
    const { webFolder } = await import('../web-folder.ts')
    const version = versionOf()
    const log = (line: string) => context.out.note(line)
    const agent = context.io.env['HOLDFAST_AGENT'] || 'mcp'
    const ended = endOf()
    await using serving = await serveHoldfast({
      ...{ store, folder, ...config, ...listening, version, log },
      storeKind: storeUrl.slice(0, storeUrl.indexOf(':')),
      webFolder: webFolder(),
      mounts: ({ selectGrimoire }) => [
        mcpHttp({ store, directory: null, agent, selectGrimoire }, { version, log }),
      ],
    }).catch((error) => {
      if (!(error instanceof ListenError)) throw error
      throw context.usageError(error.message, error.next)
    })
    tellStart(context, serving.url)
    log(`Ending on ${await ended}: requests under way are finished first.`)
  },
}

function tellStart({ out }: Context, url: string): void {
  const lines = [`holdfast listens on ${url}`, `The API is shown at ${url}/docs`]
  out.answer({ kind: 'server', data: { url }, lines })
}
