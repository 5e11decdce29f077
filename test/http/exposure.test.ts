import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { coven } from '../../src/cli/coven.ts'
import { holdfast } from '../../src/cli/holdfast.ts'
import { serveRefusal } from './refusal.ts'

const token = 'twenty-characters-or-more'

for (const program of [coven, holdfast])
  describe(`${program.name} serve where other machines come in`, () => {
    const refused = (...args: string[]) => serveRefusal(program, ['--port', '0', ...args])

    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'build.example'])
      test(`on ${host} needs a token of 20 characters, and TLS or --insecure`, async () => {
        const open = ['--host', host, '--insecure']
        assert.match(await refused(...open), /needs a token/)
        assert.match(
          await refused(...open, '--token', 'x'.repeat(19)),
          /shorter than 20 characters/,
        )
        assert.match(await refused('--host', host, '--token', token), /without TLS.*--insecure/)
      })

    test('options that can’t go together, or can’t be, are exit 2', async () => {
      const cases: [string[], RegExp][] = [
        [['--socket', 's.sock'], /--socket and --port exclude each other/],
        [['--tls-cert', 'cert.pem'], /--tls-cert is given alone/],
        [['--tls-key', 'key.pem'], /--tls-key is given alone/],
        [['--tls-cert', 'cert.pem', '--tls-key', 'key.pem'], /Can't read .*cert\.pem/],
        [['--log', 'xml'], /--log takes no "xml"/],
        [['--public-url', 'tasks.example.com'], /--public-url is no origin/],
        [['--public-url', 'https://tasks.example.com/path'], /without a path/],
        [['--public-url', 'https://user:secret@tasks.example.com'], /is no origin/],
        [['--public-url', 'ftp://tasks.example.com'], /is no origin/],
        [['--public-url', 'https://*.example.com'], /is no origin/],
      ]
      for (const [args, said] of cases) {
        const stderr = await refused(...args)
        assert.match(stderr, said)
        assert.doesNotMatch(stderr, /secret/)
      }
      const both = await serveRefusal(program, ['--socket', 's.sock', '--host', '127.0.0.1'])
      assert.match(both, /--socket and --host exclude each other/)
      assert.match(await serveRefusal(program, ['--socket', '']), /--socket is empty/)
    })
  })
