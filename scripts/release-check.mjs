// `npm run release-check`: checks licenses, install scripts and known advisories of all packages, packs the package, checks what
// it exports and its types, installs it into an empty project, checks what that brings, runs it there on every Node that it
// supports, and has the MCP inspector look at its server. With --quick only on this Node, and without advisories, types and
// the inspector: that is what `npm test` does. Prints what an installation costs, and fails where that has grown.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { otherNodes } from './fetch/index.mjs'
import { checkExports, checkTypes } from './release/checks.mjs'
import {
  checkAdvisories,
  checkInstalled,
  checkInstallScripts,
  checkLicenses,
} from './release/dependencies.mjs'
import { checkMcp } from './release/inspection.mjs'
import { installInto, pack, sizeOf } from './release/package.mjs'
import { tryPackage } from './release/trial.mjs'
import { root, say } from './shell.mjs'

/** What an installation may cost; who adds to it must mean to. */
const packagesMax = 100
const bytesMax = 50_000_000

const isQuick = process.argv.includes('--quick')
const folder = mkdtempSync(join(tmpdir(), 'holdfast-release-'))
const failures = []
const versionOf = (node) => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
const check = async (name, run) => {
  try {
    const said = await run()
    process.stdout.write(`ok    ${name}${said ? `: ${said}` : ''}\n`)
  } catch (error) {
    failures.push(name)
    process.stdout.write(`FAIL  ${name}: ${error.message}\n`)
  }
}

try {
  await check('licenses', checkLicenses)
  await check('install scripts', checkInstallScripts)
  if (!isQuick) await check('advisories', () => checkAdvisories())
  const project = join(folder, 'project')
  // A quick one has npm pack as it installs: once less is packed and unpacked.
  const tarball = isQuick ? null : await pack(folder)
  await installInto(project, tarball ?? root())
  await check('what an installation brings', () => checkInstalled(project))
  if (tarball !== null) {
    await check('publint', () => checkExports(tarball))
    await check('types', () => checkTypes(tarball))
  }
  await check('size', async () => {
    const { packages, bytes } = sizeOf(project)
    const cost = `${packages} packages, ${(bytes / 1e6).toFixed(1)} MB`
    if (packages > packagesMax || bytes > bytesMax) throw new Error(`${cost} is too much`)
    return cost
  })
  const all = isQuick ? [process.execPath] : [process.execPath, ...(await otherNodes())]
  for (const node of all) await check(`Node ${versionOf(node)}`, () => tryPackage(node, project))
  if (!isQuick) await check('MCP inspector', () => checkMcp(project))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (failures.length > 0) {
  say(`${failures.length} checks failed: ${failures.join(', ')}.`)
  process.exitCode = 1
}
