import { mkdirSync } from 'node:fs'
import { shownUrl } from '../../store/internal.ts'
import { oneLine } from '../../terminal/index.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { folderAbove, folderHere, ownStore } from './workspace.ts'

export const init: Command = {
  name: 'init',
  about: 'make a workspace of this directory: the folder .coven, and the store',
  details:
    'The store is .coven/tasks.db, unless another one is named by --store, HOLDFAST_STORE or a configuration file. Commands in directories below find the folder, too.',
  creates: true,
  examples: ['coven init', 'coven init --store nats://127.0.0.1:4222'],
  async run(context) {
    const { out, io } = context
    const folder = folderHere(io)
    const above = folderAbove(io)
    const { url, isDefault } = await context.storeChoice()
    const storeUrl = isDefault ? ownStore(folder).url : url
    const isNewStore = await isMissing(context, storeUrl)
    await prepare(context, storeUrl)
    await makeFolder(folder)
    const isNew = isNewStore || above !== folder
    const data = { folder, store: shownUrl(storeUrl), created: isNew }
    const line = `${isNew ? 'Initialized' : 'Already there:'} workspace ${oneLine(folder)}`
    out.confirm({ kind: 'workspace', data, lines: [`${line}, store ${oneLine(data.store)}`] })
    if (above !== null && above !== folder)
      out.note(`From here on down it is used instead of ${above}.`)
  },
}

async function isMissing(context: Context, url: string): Promise<boolean> {
  const { StoreError } = await import('../../store/internal.ts')
  try {
    const store = await context.openStore({ url, create: false })
    await store[Symbol.asyncDispose]()
    return false
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'missing_store') return true
    throw error
  }
}

async function prepare(context: Context, url: string): Promise<void> {
  const { TaskTree } = await import('../../tree/internal.ts')
  await using store = await context.openStore({ url })
  await new TaskTree(store).prepare()
}

async function makeFolder(folder: string): Promise<void> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    const { StoreError } = await import('../../store/internal.ts')
    throw new StoreError(
      'permission',
      `The folder ${folder} can't be made: ${(error as Error).message}.`,
      'Make it yourself, or work in another directory.',
      error,
    )
  }
}
