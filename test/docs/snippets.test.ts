import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { servedAll } from '../http/holdfast/served.ts'
import { commented, type Page, pages } from './page.ts'
import { Session } from './session.ts'

const languages = ['js', 'mjs']

/** Runs one file after another in one process, and says where each begins. */
const runner = `
for (const file of process.argv.slice(2)) {
  console.log('@@@')
  await import(file)
}
`

/** What a snippet says that it prints, part by part. */
const expected = (code: string): string[] =>
  [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].flatMap(([, words]) =>
    (words as string).split(', then '),
  )

const snippetsOf = ({ blocks }: Page) =>
  blocks.filter(({ language }) => languages.includes(language))

/** Where a server listens that nobody has configured. */
const address = 'http://127.0.0.1:7700'

/** A server of its own for what talks to one. */
const serverFor = async (snippets: readonly { readonly code: string }[]) =>
  snippets.some(({ code }) => code.includes(address)) ? servedAll(await openStore('memory:')) : null

describe('every snippet runs as it stands, and prints what its comments say', () => {
  for (const page of [...pages, commented].filter((each) => snippetsOf(each).length > 0))
    test(page.path, async () => {
      await using session = new Session()
      const snippets = snippetsOf(page)
      await using server = await serverFor(snippets)
      const files = snippets.map(({ line, code }) => {
        const file = join(session.folder, `line-${line}.mjs`)
        writeFileSync(file, code.replaceAll(address, server?.url ?? address))
        return file
      })
      const main = join(session.folder, 'run.mjs')
      writeFileSync(main, runner)
      const run = promisify(execFile)
      const { stdout } = await run(process.execPath, [main, ...files], { cwd: session.folder })
      const printed = stdout.split('@@@\n').slice(1)
      assert.equal(printed.length, snippets.length)
      for (const [at, { line, code }] of snippets.entries())
        for (const part of expected(code))
          assert.ok(printed[at]?.includes(part), `line ${line}: ${part} is not in:\n${printed[at]}`)
    })

  test('there are such in pages and in doc comments', () => {
    assert.ok(pages.some((page) => snippetsOf(page).length > 0))
    assert.ok(snippetsOf(commented).length > 5)
  })
})
