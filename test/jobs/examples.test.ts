import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, test } from 'vitest'
import { temporaryFolder } from '../store/ground.ts'

const examples = readdirSync('examples').filter((name) => name.startsWith('jobs-'))

/** What the comments behind its console.log say that an example prints, line by line. */
const expectedOf = (name: string): string[] =>
  [...readFileSync(`examples/${name}`, 'utf8').matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(
    ([, line]) => line as string,
  )

/** Runs one example after another in one process, as if each had been started with its store, and says where each begins. */
const runner = `
for (const run of process.argv.slice(1)) {
  const [example, store] = JSON.parse(run)
  process.argv = [process.execPath, example, store]
  console.log('@@@')
  await import(example + '?' + encodeURIComponent(store))
}
`

describe('every example prints what its comments say', () => {
  let printed: string[] = []
  beforeAll(async () => {
    await using folder = await temporaryFolder()
    const runs = examples.flatMap((name) =>
      ['memory:', `sqlite:${folder.path(`${name}.db`)}`].map((store) =>
        JSON.stringify([pathToFileURL(resolve('examples', name)).href, store]),
      ),
    )
    const args = ['--input-type=module', '-e', runner, ...runs]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    printed = stdout.split('@@@\n').slice(1)
    assert.equal(printed.length, runs.length)
  })

  test('there are some', () => assert.ok(examples.length >= 5))
  for (const [at, name] of examples.entries())
    test(`${name}, in memory and in a file`, () => {
      for (const text of printed.slice(2 * at, 2 * at + 2))
        assert.deepEqual(text.trimEnd().split('\n'), expectedOf(name))
    })
})
