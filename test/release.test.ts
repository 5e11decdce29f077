import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, test } from 'vitest'
import {
  advisoriesIn,
  bundledIn,
  checkAdvisories,
  checkInstalled,
  checkInstallScripts,
  checkLicenses,
  installScriptFlaws,
  isPermissive,
  type Lock,
  licenseFlaws,
  shippedIn,
} from '../scripts/release/dependencies.mjs'
import { temporaryFolder } from './store/ground.ts'

const lock: Lock = {
  packages: {
    '': { license: 'MIT' },
    'node_modules/web': { link: true },
    'node_modules/shipped': { license: 'MIT' },
    'node_modules/shipped/node_modules/below': { license: 'ISC' },
    'node_modules/better-sqlite3': { license: 'MIT', hasInstallScript: true },
    'node_modules/bundled': { license: 'MIT', dev: true },
    'node_modules/tool': { license: 'MPL-2.0', dev: true },
    web: { license: 'MIT' },
  },
}
const withEntry = (path: string, entry: object): Lock => ({
  packages: { ...lock.packages, [path]: { ...lock.packages[path], ...entry } },
})
const shipped = shippedIn(lock, ['bundled'])

test('what users get is what they install and what is bundled, not our tools', () => {
  const names = [...shipped.keys()].map((path) => path.replace(/.*node_modules\//, ''))
  assert.deepEqual(names, ['shipped', 'below', 'better-sqlite3', 'bundled'])
  assert.throws(() => shippedIn(lock, ['nowhere']), /bundled, but not in .*: nowhere/)
})

test('a notice of licenses names what is bundled, in either form', () => {
  assert.deepEqual(bundledIn('bundled\n\nMIT License\n\nshipped as it is\n', lock), ['bundled'])
  assert.deepEqual(bundledIn('# Licenses\n\n## shipped - 1.0.0 (MIT)\n\nbelow\n', lock), [
    'shipped',
    'below',
  ])
})

describe('licenses', () => {
  const permissive = [
    'MIT',
    'Apache-2.0',
    '(MIT OR WTFPL)',
    'MIT AND ISC',
    'BSD-2-Clause OR GPL-2.0',
  ]
  for (const license of permissive) test(license, () => assert.equal(isPermissive(license), true))
  const others = [
    ...['GPL-3.0', 'AGPL-3.0-only', 'MPL-2.0', 'MIT AND GPL-2.0', 'UNLICENSED', 'BUSL-1.1'],
    ...['SEE LICENSE IN LICENSE.md', 'MIT AND (GPL-2.0 OR ISC)', 'mit-ish', '', undefined, null],
    ...['constructor', { type: 'MIT' }],
  ]
  for (const license of others)
    test(`not ${JSON.stringify(license)}`, () => assert.equal(isPermissive(license), false))

  test('one that is not permissive is named, and one that is missing', () => {
    assert.deepEqual(licenseFlaws(lock, shipped), [])
    for (const [path, license, flaw] of [
      ['node_modules/shipped/node_modules/below', 'GPL-3.0', 'below has GPL-3.0'],
      ['node_modules/shipped', 'MPL-2.0', 'shipped has MPL-2.0'],
      ['node_modules/bundled', 'MPL-2.0', 'bundled has MPL-2.0'],
      ['node_modules/bundled', undefined, 'bundled has no license'],
      // Users never get these, but we all run them.
      ['node_modules/tool', 'GPL-3.0', 'tool has GPL-3.0'],
      ['node_modules/tool', undefined, 'tool has no license'],
      ['web', undefined, 'web has no license'],
      ['', 'UNLICENSED', 'holdfast itself has UNLICENSED'],
    ] as const)
      assert.deepEqual(licenseFlaws(withEntry(path, { license } as object), shipped), [flaw])
  })
})

test('nothing but better-sqlite3 may have an install script, at any depth, of tools or our own', () => {
  assert.deepEqual(installScriptFlaws(lock), [])
  for (const [path, named] of [
    ['node_modules/shipped', 'shipped has'],
    ['node_modules/shipped/node_modules/below', 'below has'],
    ['node_modules/tool', 'tool has'],
    ['node_modules/better-sqlite3-evil', 'better-sqlite3-evil has'],
    ['', 'holdfast itself has'],
  ] as const)
    assert.deepEqual(installScriptFlaws(withEntry(path, { hasInstallScript: true })), [
      `${named} an install script`,
    ])
})

describe('advisories', () => {
  const report = (severity: string, node: string) => ({
    vulnerabilities: {
      it: { name: 'it', severity, via: [{ title: 'It leaks' }, 'other'], nodes: [node] },
    },
  })
  for (const severity of ['high', 'critical', 'unheard-of'])
    test(`${severity}: fails`, async () => {
      const found = advisoriesIn(report(severity, 'node_modules/bundled'), shipped)
      assert.deepEqual(found, {
        ...{ serious: [`it (${severity}): It leaks; by other`], others: [], ofTools: [] },
      })
      const here = report(severity, 'node_modules/hono')
      await assert.rejects(
        checkAdvisories(async () => here),
        /It leaks/,
      )
    })
  for (const severity of ['info', 'low', 'moderate'])
    test(`${severity}: is told`, async () => {
      const here = report(severity, 'node_modules/hono')
      assert.match(await checkAdvisories(async () => here), /^none serious; it \(/)
    })
  test('of our tools: told, and no failure', async () => {
    const here = report('critical', 'node_modules/vite')
    assert.match(await checkAdvisories(async () => here), /^none serious; of a tool: it \(critical/)
  })
  test('without any: said', async () =>
    assert.equal(await checkAdvisories(async () => ({ vulnerabilities: {} })), 'none known'))
  test('without an answer: said, and no failure', async () => {
    const refused = { message: '405 Method Not Allowed', error: { summary: '' } }
    for (const answer of [null, refused, {}, 'no JSON'])
      assert.match(await checkAdvisories(async () => answer), /^not looked up: /)
  })
})

test('what an installation brought is looked at by itself, for users get other versions than we do', async () => {
  await using folder = await temporaryFolder()
  mkdirSync(folder.path('node_modules'))
  const written = (entry: object) => {
    const content = withEntry('node_modules/shipped', entry)
    const { 'node_modules/tool': _tool, ...packages } = content.packages
    writeFileSync(folder.path('node_modules/.package-lock.json'), JSON.stringify({ packages }))
    return dirname(folder.path('node_modules'))
  }
  assert.match(checkInstalled(written({})), /^\d+ packages$/)
  assert.throws(() => checkInstalled(written({ license: 'GPL-3.0' })), /shipped has GPL-3.0/)
  assert.throws(() => checkInstalled(written({ hasInstallScript: true })), /shipped has an install/)
})

test('the package as it is passes', () => {
  assert.match(checkLicenses(), /^\d+ packages that users get, all permissive; \d+ in all$/)
  assert.equal(checkInstallScripts(), 'only better-sqlite3')
  const { license } = JSON.parse(readFileSync('package.json', 'utf8'))
  assert.ok(isPermissive(license))
})
