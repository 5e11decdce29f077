import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import {
  advisoriesIn,
  bundledIn,
  checkAdvisories,
  checkInstallScripts,
  checkLicenses,
  installScriptFlaws,
  isPermissive,
  type Lock,
  licenseFlaws,
  shippedIn,
} from '../scripts/release/dependencies.mjs'

const lock: Lock = {
  packages: {
    '': { license: 'MIT' },
    'node_modules/web': { link: true },
    'node_modules/shipped': { license: 'MIT' },
    'node_modules/shipped/node_modules/below': { license: 'ISC' },
    'node_modules/better-sqlite3': { license: 'MIT', hasInstallScript: true },
    'node_modules/bundled': { license: 'MIT', dev: true },
    'node_modules/tool': { license: 'GPL-3.0', dev: true },
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
    assert.deepEqual(licenseFlaws(shipped), [])
    const copyleft = withEntry('node_modules/shipped/node_modules/below', { license: 'GPL-3.0' })
    assert.deepEqual(licenseFlaws(shippedIn(copyleft, [])), ['below has GPL-3.0'])
    const bundled = withEntry('node_modules/bundled', { license: undefined })
    assert.deepEqual(licenseFlaws(shippedIn(bundled, ['bundled'])), ['bundled has no license'])
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
      assert.deepEqual(found, { serious: [`it (${severity}): It leaks; by other`], others: [] })
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
  test('of our tools: none of a user', () => {
    const found = advisoriesIn(report('critical', 'node_modules/tool'), shipped)
    assert.deepEqual(found, { serious: [], others: [] })
  })
  test('without any: said', async () =>
    assert.equal(await checkAdvisories(async () => ({ vulnerabilities: {} })), 'none known'))
  test('without an answer: said, and no failure', async () => {
    const refused = { message: '405 Method Not Allowed', error: { summary: '' } }
    for (const answer of [null, refused, {}, 'no JSON'])
      assert.match(await checkAdvisories(async () => answer), /^not looked up: /)
  })
})

test('the package as it is passes', () => {
  assert.match(checkLicenses(), /^\d+ packages, all permissive$/)
  assert.equal(checkInstallScripts(), 'only better-sqlite3')
  const { license } = JSON.parse(readFileSync('package.json', 'utf8'))
  assert.ok(isPermissive(license))
})
