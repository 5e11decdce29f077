// Makes a checkout ready: installs from the lock file, builds, and fetches what only tests need. Uses
// nothing but Node, for on a fresh machine there is nothing else. Repeating it costs a moment.
//
//   node scripts/setup.mjs              for running
//   node scripts/setup.mjs --for-tests  for running and testing
import { existsSync } from 'node:fs'
import { build } from './build.mjs'
import { fetchTestTools } from './fetch/index.mjs'
import { npm, root, say } from './shell.mjs'
import { fingerprint, isFresh, markFresh } from './stamp.mjs'

const isMain = process.argv[1] === import.meta.filename
if (isMain) await setup({ forTests: process.argv.includes('--for-tests') })

async function setup({ forTests }) {
  checkNode()
  await install()
  await build()
  if (forTests) await fetchTestTools()
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new Error(`Holdfast needs Node 20.19 or newer; this is ${process.version}. Install one.`)
}

async function install() {
  // Native packages are compiled for one Node: another one wants them anew.
  const wanted = fingerprint(['package-lock.json'], process.versions.modules, process.platform)
  if (existsSync(root('node_modules')) && isFresh('node_modules/.holdfast-setup', wanted)) return
  say('Installing packages from the lock file. SQLite may be compiled, which takes about a minute.')
  await npm(['ci', '--no-audit', '--no-fund'])
  markFresh('node_modules/.holdfast-setup', wanted)
}
