import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { npm, root } from '../shell.mjs'

/** The native half of the one package that is compiled. */
const binary = 'better-sqlite3/build/Release/better_sqlite3.node'

/** Packs what would be published; answers with the path. What it holds must be built already. */
export async function pack(folder) {
  await npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', folder, root()])
  const name = readdirSync(folder).find((each) => each.endsWith('.tgz'))
  return join(folder, name)
}

/**
 * Installs it into an empty project: what was packed, or, given the folder of the package, what npm would pack of it.
 * Without scripts: what is compiled is taken from here, where it was compiled for this Node already.
 */
export async function installInto(project, packageOrFolder) {
  mkdirSync(project)
  const manifest = { name: 'empty-project', version: '1.0.0', private: true, type: 'module' }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--silent']
  // Without it a folder would be linked, with all that it holds.
  await npm(['install', '--install-links', ...options, '--prefix', project, packageOrFolder])
  // A Node that brings a SQLite of its own does without.
  if (existsSync(root('node_modules', binary)))
    cpSync(root('node_modules', binary), join(project, 'node_modules', binary))
}

/** How many packages there are, ours among them, and how many bytes they take. */
export function sizeOf(project) {
  const { packages } = JSON.parse(
    readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8'),
  )
  return { packages: Object.keys(packages).length, bytes: bytesIn(join(project, 'node_modules')) }
}

const bytesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
