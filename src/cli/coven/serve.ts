import type { MaintenanceReport } from '../../tree/internal.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { ShutdownSignal } from '../program/io.ts'
import { withModel } from '../program/model.ts'
import {
  type Address,
  accessLines,
  addressData,
  docsLine,
  listeningFailure,
  listeningOf,
  listeningOptions,
  listensLines,
  type ServeLog,
  serveLogOf,
} from '../program/server.ts'
import { readerIn } from './grimoire.ts'
import { treeModel } from './tree.ts'
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
    const { version } = await import('../package.ts')
    const { log, warn, accessLog } = await serveLogOf(context)
    const options = {
      ...{ store, folder, matcherReader, ...config, ...listening },
      ...{ version: version(), log, accessLog },
    }
    using shutdown = new ShutdownSignal()
    await using serving = await serveCoven(options).catch(async (error) => {
      throw await listeningFailure(context, error)
    })
    answerStarted(context, { ...serving, publicUrl: listening.publicUrl })
    log(`Ending on ${await shutdown.received}: requests under way are finished first.`)
    await serving[Symbol.asyncDispose]()
    await backUp(store, { log, warn })
  },
}

function answerStarted({ out }: Context, address: Address): void {
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

export const maintain: Command = {
  name: 'maintain',
  about: 'take stale claims back, and delete what has been closed for long',
  details:
    '"coven serve" does it every 5 minutes. .coven/config.yaml says when: claim_timeout (30m), task_store.retention_days (30, 0 for never) and task_store.soft_delete_days (7).',
  async run(context) {
    const { config } = await workspaceOf(context)
    const report = await withModel(context, treeModel(config), (tree) => tree.maintain())
    const { released, softDeleted, hardDeleted, restored, completed } = report
    const also = restored.length === 0 ? {} : { restored }
    context.out.confirm({
      kind: 'maintenance',
      data: { released, soft_deleted: softDeleted, hard_deleted: hardDeleted, completed, ...also },
      lines: reportLines(report),
    })
  },
}

/** How many of a kind are named one by one. */
const namedMax = 20

function reportLines(report: MaintenanceReport): string[] {
  const { released, softDeleted, hardDeleted, restored, completed } = report
  return [
    ...idLines(released, 'Released task'),
    ...idLines(softDeleted, 'Soft-deleted task'),
    ...idLines(hardDeleted, 'Hard-deleted task'),
    ...idLines(restored, 'Restored with its family task'),
    ...idLines(completed, 'Completed the deletion of task'),
    `Maintained: ${released.length} released, ${softDeleted.length} soft-deleted, ${hardDeleted.length} hard-deleted`,
  ]
}

function idLines(ids: readonly string[], what: string): string[] {
  const lines = ids.slice(0, namedMax).map((id) => `${what} ${id}`)
  const rest = ids.length - lines.length
  return rest === 0 ? lines : [...lines, `${what} and ${rest} more`]
}
