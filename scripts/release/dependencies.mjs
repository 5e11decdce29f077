import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../shell.mjs'

/** Licenses that ask for nothing but a notice. */
const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
  'Zlib',
])

/** Of files that stay as they are, nothing more: fine for tools, which users never get. */
const fineForTools = new Set([...permissive, 'MPL-2.0'])

/** Compiled while it is installed. Anything else that runs then would run on every user's machine. */
const withInstallScript = ['better-sqlite3']

const auditMsMax = 60_000
const isSerious = (severity) => severity !== 'info' && severity !== 'low' && severity !== 'moderate'

/** The name of a package, by its path in a lock file. */
const nameOf = (path) => path.split('node_modules/').at(-1)

/**
 * The packages that users get, by their paths in the lock file: those that an installation brings, and those that were
 * taken into our own files.
 */
export function shippedIn({ packages }, bundled) {
  const names = new Set(bundled)
  const entries = Object.entries(packages).filter(
    ([path, { dev, link }]) =>
      path.includes('node_modules/') && !link && (!dev || names.has(nameOf(path))),
  )
  const found = new Set(entries.map(([path]) => nameOf(path)))
  const unknown = bundled.filter((name) => !found.has(name))
  if (unknown.length > 0)
    throw new Error(`bundled, but not in package-lock.json: ${unknown.join(', ')}`)
  return new Map(entries)
}

/** The packages named in a notice of licenses: as our bundles write it, and as vite does. */
export function bundledIn(notice, { packages }) {
  const known = new Set(Object.keys(packages).map(nameOf))
  return notice.split('\n').flatMap((line) => {
    const name = /^## (\S+) - /.exec(line)?.[1] ?? line
    return known.has(name) && name !== '' ? [name] : []
  })
}

/**
 * What is wrong with the licenses of all packages of a lock file: of those that users get, of the tools that they do not, and
 * of our own. One that nobody knows is wrong, too.
 */
export function licenseFlaws({ packages }, shipped) {
  return Object.entries(packages).flatMap(([path, { license, link, dev }]) => {
    const allowed = dev && !shipped.has(path) ? fineForTools : permissive
    return link || isAllowed(license, allowed)
      ? []
      : [`${nameOf(path) || 'holdfast itself'} has ${license ?? 'no license'}`]
  })
}

export const isPermissive = (license) => isAllowed(license, permissive)

/** `(MIT OR WTFPL)` is for the user to choose from, of `MIT AND MPL-2.0` both hold. */
function isAllowed(license, allowed) {
  if (typeof license !== 'string') return false
  const words = license.replaceAll(/[()]/g, ' ').trim().split(/\s+/)
  // What mixes both can't be read without its brackets, and nothing here does.
  if (words.includes('AND') && words.includes('OR')) return false
  const named = words.filter((word) => word !== 'AND' && word !== 'OR')
  return words.includes('OR')
    ? named.some((name) => allowed.has(name))
    : named.every((name) => allowed.has(name))
}

/** Packages that run something when they are installed, and may not; ours among them. */
export function installScriptFlaws({ packages }) {
  return Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript && !withInstallScript.includes(nameOf(path))
      ? [`${nameOf(path) || 'holdfast itself'} has an install script`]
      : [],
  )
}

/**
 * What an answer of `npm audit --json` says: of packages that users get what is serious and what is not, and the rest, which
 * is about tools. Null where it says that nobody answered.
 */
export function advisoriesIn(report, shipped) {
  if (report?.vulnerabilities === undefined) return null
  const all = Object.values(report.vulnerabilities)
  const isShipped = ({ nodes = [] }) => nodes.some((path) => shipped.has(path))
  const found = all.filter(isShipped)
  const told = ({ name, severity, via = [] }) => {
    const titles = via.flatMap((each) => (typeof each === 'object' ? [each.title] : [`by ${each}`]))
    return `${name} (${severity}): ${titles.join('; ')}`
  }
  return {
    serious: found.filter(({ severity }) => isSerious(severity)).map(told),
    others: found.filter(({ severity }) => !isSerious(severity)).map(told),
    ofTools: all.filter((each) => !isShipped(each)).map(told),
  }
}

const readLock = () => JSON.parse(readFileSync(root('package-lock.json'), 'utf8'))

const notices = ['dist/cli', 'dist/tui', 'dist/web'].map((folder) => root(folder, 'LICENSES.txt'))

function shippedHere(lock) {
  const missing = notices.filter((path) => !existsSync(path))
  if (missing.length > 0) throw new Error(`${missing.join(', ')} is missing: run npm run build`)
  const bundled = notices.flatMap((path) => bundledIn(readFileSync(path, 'utf8'), lock))
  return shippedIn(lock, [...new Set(bundled)])
}

export function checkLicenses() {
  const lock = readLock()
  const shipped = shippedHere(lock)
  failBy(licenseFlaws(lock, shipped))
  const all = Object.values(lock.packages).filter(({ link }) => !link).length
  return `${shipped.size} packages that users get, all permissive; ${all} in all`
}

export function checkInstallScripts() {
  failBy(installScriptFlaws(readLock()))
  return `only ${withInstallScript.join(', ')}`
}

/** What an installation has brought: users have no lock file of ours, and get newer versions than we do. */
export function checkInstalled(project) {
  const lock = JSON.parse(readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8'))
  failBy([...licenseFlaws(lock, new Map()), ...installScriptFlaws(lock)])
  return `${Object.keys(lock.packages).length} packages`
}

function failBy(flaws) {
  if (flaws.length > 0) throw new Error(flaws.join('\n'))
}

/** Known advisories, where the registry answers; where it does not, that is told and no failure. */
export async function checkAdvisories(report = auditReport) {
  const answer = await report()
  const found = advisoriesIn(answer, shippedHere(readLock()))
  if (found === null) return `not looked up: ${answer?.message ?? 'the registry does not answer'}`
  failBy(found.serious)
  const told = [...found.others, ...found.ofTools.map((each) => `of a tool: ${each}`)]
  return told.length === 0 ? 'none known' : `none serious; ${told.join('\n')}`
}

/** Of all packages, for what is bundled is no dependency of ours. Null where no answer came. */
function auditReport() {
  const options = ['--json', '--fetch-retries=1', '--fetch-timeout=20000']
  return new Promise((resolve) => {
    // It ends with an error where it has found something.
    execFile(
      'npm',
      ['audit', ...options],
      { cwd: root(), timeout: auditMsMax, maxBuffer: 64_000_000 },
      (_, stdout) => resolve(parsed(stdout)),
    )
  })
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
