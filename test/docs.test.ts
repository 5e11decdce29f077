import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'vitest'

const pages = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md']
  .concat(readdirSync('docs').map((name) => `docs/${name}`))
  .filter((path) => path.endsWith('.md'))

const blocks = pages.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/^```js\n(.*?)^```/gms)].map(([, code], index) => ({
    name: `${page}, snippet ${index + 1}`,
    code: code as string,
  })),
)

describe('every snippet runs, and prints what its comments say', () => {
  test('there are some', () => assert.ok(blocks.length > 0))
  for (const { name, code } of blocks)
    test(name, () => {
      const output = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
        encoding: 'utf8',
      })
      for (const [, expected] of code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm))
        for (const part of (expected as string).split(', then ')) assert.ok(output.includes(part))
    })
})

describe('no link is dead', () => {
  for (const page of pages)
    test(page, () => {
      const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#]+)[^)]*\)/g)]
      const local = links.map(([, link]) => link as string).filter((link) => !link.includes('://'))
      const dead = local.filter((link) => !existsSync(join(dirname(page), link)))
      assert.deepEqual(dead, [])
    })
})
