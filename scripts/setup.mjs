// Makes a checkout ready: installs from the lock file, builds, and fetches what only tests need. Uses
// nothing but Node, for on a fresh machine there is nothing else. Repeating it costs a moment.
//
//   node scripts/setup.mjs              for running
//   node scripts/setup.mjs --for-tests  for running and testing
import { build } from './build.mjs'
import { fetchTestTools } from './fetch/index.mjs'
import { install } from './install.mjs'

/** Gives what `install` gives: SQLite may still be compiling. */
async function setup({ forTests }) {
  checkNode()
  let compiled = Promise.resolve()
  const make = async () => {
    ;({ compiled } = await install({ forTests }))
    await build()
  }
  // A server that is compiled takes longest, and needs nothing of ours.
  const results = await Promise.allSettled([make(), forTests && fetchTestTools()])
  const broken = results.find(({ status }) => status === 'rejected')
  if (broken === undefined) return { compiled }
  await compiled
  throw broken.reason
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new Error(`Holdfast needs Node 20.19 or newer; this is ${process.version}. Install one.`)
}

if (process.argv[1] === import.meta.filename) {
  const { compiled } = await setup({ forTests: process.argv.includes('--for-tests') })
  await compiled
}
