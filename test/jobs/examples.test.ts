import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { temporaryFolder } from '../store/ground.ts'

const examples = readdirSync('examples').filter((name) => name.startsWith('jobs-'))

/** What the comments behind its console.log say that an example prints, line by line. */
const expectedOf = (name: string): string[] =>
  [...readFileSync(`examples/${name}`, 'utf8').matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(
    ([, line]) => line as string,
  )

describe('every example prints what its comments say', () => {
  test('there are some', () => assert.ok(examples.length >= 5))
  for (const name of examples)
    test(`${name}, in memory and in a file`, async () => {
      await using folder = await temporaryFolder()
      for (const store of ['memory:', `sqlite:${folder.path('tasks.db')}`]) {
        const args = [`examples/${name}`, store]
        const { stdout } = await promisify(execFile)(process.execPath, args)
        assert.deepEqual(stdout.trimEnd().split('\n'), expectedOf(name))
      }
    })
})
