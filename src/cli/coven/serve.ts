import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { Ending } from '../program/ending.ts'
import { workspaceOf } from './workspace.ts'

export const serve: Command = {
  name: 'serve',
  about: 'serve the tree over HTTP, and look after it',
  details:
    'GET /docs shows the API. Stale claims and old tasks are looked at every 5 minutes. With a token, or COVEN_TOKEN, every request must bring it; listening elsewhere than on this machine needs one. Ctrl-C ends it in good order.',
  options: {
    port: { value: 'N', about: 'the port to listen on, 7600 if left out; 0 for any that is free' },
    host: { value: 'HOST', about: 'the address to listen on, 127.0.0.1 if left out' },
    token: { value: 'TOKEN', about: 'what every request must bring as its bearer token' },
  },
  examples: ['coven serve', 'coven serve --port 8000', 'COVEN_TOKEN=… coven serve --host 0.0.0.0'],
  creates: true,
  async run(context) {
    const port = portOf(context)
    const token = tokenOf(context)
    const { storeUrl, folder, config } = await workspaceOf(context)
    const { openStore } = await import('../../store/index.ts')
    await using store = await openStore(storeUrl)
    const { ListenError, serveCoven } = await import('../../http/index.ts')
    const { version } = await import('../version.ts')
    const log = (line: string) => context.out.note(line)
    const host = context.args.value('host')
    const options = { store, folder, ...config, host, port, token, version: version(), log }
    using ending = new Ending()
    await using serving = await serveCoven(options).catch((error) => {
      if (!(error instanceof ListenError)) throw error
      throw context.usageError(error.message, error.next)
    })
    tellStart(context, serving.url)
    log(`Ending on ${await ending.asked}: requests under way are finished first.`)
    await serving[Symbol.asyncDispose]()
    await backUp(context, store)
  },
}

function portOf(context: Context): number | undefined {
  const given = context.args.value('port')
  if (given === undefined) return undefined
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN
  if (port <= 65_535) return port
  throw context.usageError(
    `--port takes no "${given.slice(0, 40)}".`,
    'Give a whole number from 0 to 65535.',
  )
}

function tokenOf(context: Context): string | null {
  const given = context.args.value('token') ?? (context.io.env['COVEN_TOKEN'] || undefined)
  if (given === undefined) return null
  // What a header can't carry could never be brought.
  if (/^[\x21-\x7e]+$/.test(given)) return given
  throw context.usageError(
    'The token is empty, or has characters other than plain ASCII.',
    'Give another.',
  )
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
