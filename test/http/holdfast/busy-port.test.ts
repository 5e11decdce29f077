import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, test } from 'vitest'
import { coven } from '../../../src/cli/coven.ts'
import { holdfast } from '../../../src/cli/holdfast.ts'
import { openStore } from '../../../src/store/index.ts'
import { run } from '../../cli/terminal.ts'
import { served } from '../served.ts'
import { servedAll } from './served.ts'

const servers = { coven: served, Holdfast: servedAll }

/** What a program says that wants to listen on a port that is taken. */
async function saidOn(port: string, host: string, program = coven): Promise<string> {
  const open = ['--insecure', '--token', 'twenty-characters-or-more']
  const args = ['serve', '--store', 'memory:busy', '--port', port, '--host', host, ...open]
  const { exit, stderr } = await run(program, args, { cwd: '/tmp' })
  assert.equal(exit, 2)
  return stderr
}

describe('a busy port', () => {
  for (const [name, start] of Object.entries(servers))
    for (const program of [coven, holdfast])
      for (const host of ['127.0.0.1', '0.0.0.0'])
        test(`${program.name} serve on ${host} where ${name} listens names a page that is there`, async () => {
          await using store = await openStore('memory:')
          await using serving = await start(store, { token: 'sesame' })
          await fetch(`${serving.url}/openapi.json`)
          const said = await saidOn(new URL(serving.url).port, host, program)
          const [, title, page = ''] = /It is (\S+): open (\S+) to see it\./.exec(said) ?? []
          assert.equal(title, name, said)
          const answer = await fetch(page)
          assert.deepEqual(
            [answer.status, answer.headers.get('content-type')],
            [200, 'text/html; charset=utf-8'],
          )
        })

  test('of a host by its IPv6 address is told with brackets', async () => {
    await using store = await openStore('memory:')
    await using serving = await servedAll(store, { host: '::1' })
    const said = await saidOn(new URL(serving.url).port, '::1')
    assert.ok(said.includes(`It is Holdfast: open ${serving.url}/ to see it.`), said)
  })

  test('where something else listens names no page', async () => {
    const other = createServer((_, response) => response.end('{"info":{"title":"constructor"}}'))
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
    const { port } = other.address() as { port: number }
    assert.doesNotMatch(await saidOn(String(port), '127.0.0.1'), /to see it/)
    other.close()
  })
})
