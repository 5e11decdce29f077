import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { nextMillisecond } from '../../eventually.ts'
import { cleanUp, Desk, newDirectory } from './desk.ts'

cleanUp()

/** What a person would type, and what they would see. */
interface Step {
  readonly line: string
  readonly shown: string
}

const page = readFileSync('docs/coven.md', 'utf8')
const steps = [...page.matchAll(/^```console\n(.*?)^```/gms)].flatMap(([, block = '']) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((step): Step => {
      const [line = '', ...shown] = step.split('\n')
      return { line, shown: shown.join('\n') }
    }),
)

const ids = /\b[0-9a-f]{8}-[0-9a-f]{4}(?:-[0-9a-f-]{1,22})?\b/g
const matchers = `matchers:
  - name: security-review
    grimoire: security-audit
    match: { any_tags: ["auth*"] }
  - name: default
    grimoire: implement
    match: {}
`

test('every transcript of docs/coven.md is what is seen on a terminal', async () => {
  assert.ok(steps.length > 20)
  const desk = new Desk(null, newDirectory(), null)
  /** What stands in the page for the ids of this run, by their starts. */
  const real = new Map<string, string>()
  const env: Record<string, string> = {}
  const start = (id: string) => id.slice(0, 13)
  const inPage = (text: string) =>
    text
      .replaceAll(ids, (id) => {
        const known = [...real].find(([, each]) => start(each) === start(id))?.[0] ?? id
        return known.slice(0, id.length === 36 ? 36 : 13)
      })
      .replaceAll(desk.directory, '/home/me/project')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
  for (const { line, shown } of steps) {
    const [, name, value] = /^export (\w+)=(.*)$/.exec(line) ?? []
    if (name !== undefined) env[name] = value as string
    if (line.startsWith('export')) continue
    if (line.includes('Renew')) desk.place('.coven/grimoire-matchers.yaml', matchers)
    const words = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, '$1'))
    const args = words.slice(1).map((word) => real.get(word) ?? word)
    await nextMillisecond()
    const outcome = await desk.run(args, { env, isTerminal: true, columns: 80 })
    const said = outcome.stdout + outcome.stderr
    const [fresh] = /(?<=^Created task )\S+/.exec(said) ?? []
    const [named = ''] = /(?<=^Created task )\S+/.exec(shown) ?? []
    if (fresh !== undefined) {
      real.set(named, fresh)
      real.set(start(named), fresh)
    }
    assert.equal(inPage(said), shown.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'), line)
  }
})
