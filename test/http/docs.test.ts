import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { openStore } from '../../src/store/index.ts'
import { servedAll } from './holdfast/served.ts'
import { served } from './served.ts'

/** Each page with what it is about. */
const pages = [
  { path: 'docs/http.md', address: 'localhost:7600', serve: served },
  { path: 'docs/serve.md', address: 'localhost:7700', serve: servedAll },
] as const

const linesOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block]) =>
    (block as string).trimEnd().split('\n'),
  )

/** Every command says its status last; what it is expected to say stands behind the `#`. */
const scriptOf = (lines: readonly string[]): string =>
  lines.map((line) => `echo "@@@"; ${line.replace(/ +# .*$/, '')}`).join('\n')
const prelude = 'curl() { command curl -sS -w \'\\n%{http_code}\\n\' "$@"; }\n'

describe.each(pages)('$path', ({ path, address, serve }) => {
  test('its commands run one after the other, and print what their comments say', async () => {
    const lines = linesOf(path)
    assert.ok(lines.length > 10)
    await using store = await openStore('memory:')
    await using serving = await serve(store)
    const commands = prelude + scriptOf(lines).replaceAll(address, serving.url)
    const { stdout } = await promisify(execFile)('sh', ['-c', commands])
    const answers = stdout.split('@@@\n').slice(1)
    assert.equal(answers.length, lines.length)
    for (const [at, line] of lines.entries()) {
      const [status, ...words] = / # (.*)$/.exec(line)?.[1]?.split(' ') ?? []
      if (status === undefined) continue
      const answer = answers[at] as string
      assert.equal(answer.trimEnd().split('\n').at(-1), status, `${line}\n${answer}`)
      assert.ok(answer.includes(words.join(' ')), `${line}\n${answer}`)
    }
  })
})
