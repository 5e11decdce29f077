import { existsSync } from 'node:fs'
import { npm, say } from '../shell.mjs'
import { once } from './once.mjs'
import { folders, inspector, versions } from './paths.mjs'

/** The Model Context Protocol's own inspector: a hundred packages, which only `npm run release-check` needs. */
export async function fetchInspector() {
  if (existsSync(inspector)) return
  say(`Fetching the MCP inspector ${versions.inspector}.`)
  const options = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund']
  const name = `@modelcontextprotocol/inspector@${versions.inspector}`
  await once(folders.inspector, (partial) =>
    npm(['install', ...options, '--prefix', partial, name]),
  )
}
