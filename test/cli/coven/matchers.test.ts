import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { cleanUp, type Desk, memoryDesk } from './desk.ts'

cleanUp()

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

const rules = `matchers:
  - name: security-review
    grimoire: security-audit
    match:
      any_tags: ["auth*"]
  - name: like-its-parent
    inherit: true
    match:
      has_parent: true
  - name: rest
    grimoire: plain
    match: {}
`

const place = (text: string) => desk.place('.coven/grimoire-matchers.yaml', text)

describe('claiming', () => {
  test('records the grimoire that the matchers choose', async () => {
    place(rules)
    const parent = await desk.claimed('parent', '--tags', 'auth-api')
    const child = await desk.claimed('child', '--parent', parent.id)
    const other = await desk.in('sub/dir').claimed('other')
    const hinted = await desk.claimed('hinted', '--grimoire', 'own', '--tags', 'auth')
    const tagged = await desk.claimed('tagged', '--tags', 'grimoire:mine,auth')
    assert.deepEqual(
      [parent, child, other, hinted, tagged].map(({ grimoire }) => grimoire),
      ['security-audit', 'security-audit', 'plain', 'own', 'mine'],
    )
  })

  test('sees the tags that come with the claim', async () => {
    place(rules)
    const { id } = await desk.create('x')
    assert.equal((await desk.task('claim', id, '--tags', 'auth')).grimoire, 'security-audit')
  })

  test('a broken file leaves the default, and says so', async () => {
    const path = place('matchers: [\n')
    const { id } = await desk.create('x')
    const { exit, stderr } = await desk.run(['task', 'claim', id])
    assert.equal(exit, 0)
    assert.match(stderr, new RegExp(`^coven: warning: ${path}:\\d+:\\d+: error: `))
    assert.match(
      stderr,
      /No matchers are in use, only the default\.\ncoven: grimoire: implement-bead\n$/,
    )
  })

  test('a matcher with an error is passed over, and that is said', async () => {
    place(rules.replace('["auth*"]', '["auth["]'))
    const { id } = await desk.create('x', '--tags', 'auth[')
    const { exit, stderr } = await desk.run(['task', 'claim', id])
    assert.equal(exit, 0)
    assert.equal(
      stderr,
      'coven: warning: 1 of 3 matchers have errors, and were passed over. See "coven matchers check".\ncoven: grimoire: plain\n',
    )
  })
})

describe('coven matchers check', () => {
  test('of good rules', async () => {
    place(rules)
    assert.equal(await desk.coven('matchers', 'check'), '3 matchers, 0 errors, 0 warnings\n')
  })

  test('without a file', async () => {
    desk.place('.coven/config.yaml', '')
    const path = `${desk.directory}/.coven/grimoire-matchers.yaml`
    assert.equal(
      await desk.coven('matchers', 'check'),
      `There is no ${path}: hints, tags and the default decide.\n`,
    )
  })

  test('warnings alone are 0', async () => {
    const path = place(`${rules}  - name: late\n    grimoire: x\n    match: {}\n`)
    const lines = await desk.lines('matchers', 'check')
    assert.deepEqual(lines, [
      `${path}:13:5: warning: matcher 'late' will never be reached because 'rest' matches everything.`,
      '4 matchers, 0 errors, 1 warning',
    ])
  })

  test('errors are 6, with line and column', async () => {
    const path = place(
      rules.replace('["auth*"]', '["auth["]').replace('inherit: true', 'colour: 1'),
    )
    const { exit, stdout, stderr } = await desk.run(['matchers', 'check'])
    assert.deepEqual([exit, stderr], [6, ''])
    assert.match(stdout, new RegExp(`^${path}:5:\\d+: error: .*auth`))
    assert.match(stdout, /error: matcher must specify grimoire or inherit\./)
    assert.match(stdout, /warning: .*colour/)
    assert.match(stdout, /\n3 matchers, 2 errors, 1 warning\n$/)
    const json = JSON.parse((await desk.run(['matchers', 'check', '--json'])).stdout)
    assert.deepEqual([json.v, json.kind], [1, 'matchers'])
    const { findings, ...rest } = json.data
    assert.deepEqual(rest, { path, state: 'loaded', matchers: 3, errors: 2, warnings: 1 })
    assert.deepEqual(Object.keys(findings[0]).sort(), ['column', 'line', 'message', 'severity'])
  })
})

test('a broken file is 6, and says what is in use', async () => {
  const path = place('matchers: [\n')
  const { exit, stdout } = await desk.run(['matchers', 'check'])
  assert.equal(exit, 6)
  assert.ok(stdout.startsWith(`${path}:`))
  assert.match(
    stdout,
    /\n0 matchers, 1 error, 0 warnings; no matcher is in use, only the default\n$/,
  )
})

describe('coven matchers explain', () => {
  test('says what is chosen, and what every matcher says', async () => {
    place(rules)
    const { id } = await desk.create('x', '--tags', 'auth-api')
    assert.deepEqual(await desk.lines('matchers', 'explain', id.slice(0, 30)), [
      'security-audit, by the matcher security-review',
      "✓ security-review: any_tags matched 'auth*' via tag 'auth-api'",
      '✗ like-its-parent: has_parent true, and the task has no parent',
      "✓ rest: it has no conditions; not used, because 'security-review' comes first",
    ])
    const { kind, data } = await desk.json('matchers', 'explain', id)
    assert.deepEqual(
      [kind, data.selected_grimoire, data.matched_by, data.evaluation.length],
      ['grimoire', 'security-audit', 'security-review', 3],
    )
    assert.equal((await desk.task('show', id)).grimoire, null)
  })

  test('knows what the parent was assigned, and what the task was', async () => {
    place(rules)
    const parent = await desk.claimed('parent', '--tags', 'auth')
    const child = await desk.claimed('child', '--parent', parent.id)
    const lines = await desk.lines('matchers', 'explain', child.id)
    assert.equal(lines[0], 'security-audit, by the matcher like-its-parent')
    assert.equal(lines.at(-1), 'At its last claim it was security-audit.')
  })

  test('a parent that can not be read has nothing to pass on', async () => {
    place(rules)
    const parent = await desk.claimed('parent', '--tags', 'auth')
    const { id } = await desk.create('child', '--parent', parent.id)
    await desk.truncate(parent.id)
    assert.match(
      (await desk.run(['matchers', 'explain', id])).stdout,
      /^plain, by the matcher rest\n/,
    )
  })

  test('hint, tag and default', async () => {
    const first = async (...args: string[]) => {
      const { id } = await desk.create('x', ...args)
      return (await desk.lines('matchers', 'explain', id))[0]
    }
    assert.equal(await first(), 'implement-bead, by default')
    assert.equal(await first('--grimoire', 'g'), 'g, by its hint')
    assert.equal(await first('--tags', 'grimoire:t'), 't, by its tag')
  })

  test('a broken file is warned of', async () => {
    const { id } = await desk.create('x')
    place(': [')
    const { exit, stdout, stderr } = await desk.run(['matchers', 'explain', id])
    assert.deepEqual([exit, stdout], [0, 'implement-bead, by default\n'])
    assert.match(stderr, /^coven: warning: .*: error: /)
  })
})
