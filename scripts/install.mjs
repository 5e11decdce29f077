// Installs packages from the lock file, as `npm ci` does, but waits for nobody: SQLite is compiled on one
// core for about a minute, once for a version and a Node, and kept in the user's cache.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { once } from './fetch/once.mjs'
import { folders } from './fetch/paths.mjs'
import { npm, root, say } from './shell.mjs'
import { fingerprint, isFresh, markFresh } from './stamp.mjs'

const stamp = 'node_modules/.holdfast-setup'
/** The only package that has an install script, and may run it; test/install.test.ts sees to that. */
const native = 'node_modules/better-sqlite3'
const binary = root(native, 'build/Release/better_sqlite3.node')

/** The oldest SQLite that the store uses where Node brings one; src/store/drivers/sqlite/engine.ts has the same. */
const sqliteVersionMin = [3, 51, 3]

/**
 * Ends when the packages are there; `compiled` says when SQLite is there as well, where it is needed: by tests, and by
 * Nodes that bring none that is good enough. Never fails later.
 */
export async function install({ forTests }) {
  // Native packages are compiled for one Node: another one wants them anew.
  const wanted = fingerprint(['package-lock.json'], process.versions.modules, process.platform)
  if (!existsSync(root('node_modules')) || !isFresh(stamp, wanted)) {
    say('Installing packages from the lock file.')
    await fromLockFile()
    markFresh(stamp, wanted)
  }
  const isNeeded = forTests || !isBuiltInGood()
  return { compiled: isNeeded && !existsSync(binary) ? compile() : Promise.resolve() }
}

/** What npm has kept is not asked for again: a third of the time. What it has may be too old to know all that is wanted. */
async function fromLockFile() {
  const command = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  try {
    await npm([...command, '--prefer-offline'])
  } catch {
    say('Installing once more, without what npm has kept.')
    await npm([...command, '--prefer-online'])
  }
}

function isBuiltInGood() {
  const found = (process.versions['sqlite'] ?? '0').split('.').map(Number)
  const at = sqliteVersionMin.findIndex((number, index) => number !== found[index])
  return at === -1 || (found[at] ?? 0) > sqliteVersionMin[at]
}

async function compile() {
  if (!existsSync(root(native))) return
  const kept = join(keptFolder(), 'better_sqlite3.node')
  if (existsSync(kept)) {
    copy(kept, binary)
    if (isWorking()) return
    rmSync(keptFolder(), { recursive: true })
  }
  say('Compiling SQLite, or fetching it compiled, while other things go on: about a minute.')
  try {
    await npm(['rebuild', 'better-sqlite3'])
  } catch {
    // It is optional, and npm removes it then, too: a newer Node uses the SQLite that is built into it.
    say('SQLite could not be compiled. The SQLite store needs a Node with a recent one of its own.')
    rmSync(root(native), { recursive: true, force: true })
    return
  }
  const keep = async (folder) => copy(binary, join(folder, 'better_sqlite3.node'))
  // A convenience: where it fails, the next checkout compiles again.
  await once(keptFolder(), keep).catch(() => {})
}

/** By what the package is, and what it was compiled for. */
function keptFolder() {
  const { version, integrity } = JSON.parse(readFileSync(root('package-lock.json'))).packages[
    native
  ]
  const { modules } = process.versions
  const content = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
  const { platform, arch } = process
  return `${folders.sqlite}-${version}-${content.slice(0, 12)}-${platform}-${arch}-${modules}`
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
}

/** Whether this Node can load it: in a process of its own, for a broken one could end ours. */
function isWorking() {
  const script = "new (require('better-sqlite3'))(':memory:').close()"
  return spawnSync(process.execPath, ['-e', script], { cwd: root() }).status === 0
}
