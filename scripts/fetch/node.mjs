import { existsSync } from 'node:fs'
import { npm, say } from '../shell.mjs'
import { once } from './once.mjs'
import { folders, newerNode, nodePackage, versions } from './paths.mjs'

export const nodeTool = {
  isThere: () => existsSync(newerNode),
  needsPython: () => false,
  async fetch() {
    if (!nodePackage)
      throw new Error(`No package brings a Node for ${process.platform}-${process.arch}`)
    say(`Fetching Node ${versions.node}, to test on its built-in SQLite too.`)
    const options = ['--no-save', '--no-audit', '--no-fund']
    await once(folders.node, (folder) =>
      npm(['install', ...options, '--prefix', folder, `${nodePackage}@${versions.node}`]),
    )
  },
}
