import { existsSync } from 'node:fs'
import { npm, say } from '../shell.mjs'
import { once } from './once.mjs'
import { newerNode, nodeOf, nodePackage, versions } from './paths.mjs'

export const nodeTool = {
  isThere: () => existsSync(newerNode),
  needsPython: () => false,
  async fetch() {
    say(`Fetching Node ${versions.node}, to test on its built-in SQLite too.`)
    await fetchNode(nodeOf(versions.node))
  },
}

/** A Node of every major that the package runs on, but for that of this process. */
export async function otherNodes() {
  const isOther = (version) => version.split('.')[0] !== process.versions.node.split('.')[0]
  const nodes = [...versions.otherNodes, versions.node].filter(isOther).map(nodeOf)
  for (const node of nodes) if (!existsSync(node.path)) await fetchNode(node)
  return nodes.map(({ path }) => path)
}

async function fetchNode({ folder, version }) {
  if (!nodePackage)
    throw new Error(`No package brings a Node for ${process.platform}-${process.arch}`)
  const options = ['--no-save', '--no-audit', '--no-fund']
  await once(folder, (partial) =>
    npm(['install', ...options, '--prefix', partial, `${nodePackage}@${version}`]),
  )
}
