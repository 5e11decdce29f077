import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { openStore, StoreError, shownUrl, withoutSecrets } from '../../src/store/internal.ts'

describe('the URL of a store, shown', () => {
  const shown: Readonly<Record<string, string>> = {
    'nats://localhost:4222': 'nats://localhost:4222',
    'nats://a:4222,b:4222?replicas=3&atomic=false': 'nats://a:4222,b:4222?replicas=3&atomic=false',
    'nats://[::1]:4222': 'nats://[::1]:4222',
    's3://bucket/folder/below?region=eu-west-1&path_style=true':
      's3://bucket/folder/below?region=eu-west-1&path_style=true',
    's3://bucket?endpoint=https://minio.example:9000':
      's3://bucket?endpoint=https://minio.example:9000',
    'sqlite:/home/ada/.local/share/holdfast/holdfast.db':
      'sqlite:/home/ada/.local/share/holdfast/holdfast.db',
    'sqlite:/home/me@work/tasks.db': 'sqlite:/home/me@work/tasks.db',
    'memory:': 'memory:',
    'memory:name': 'memory:name',
    tasks: 'tasks',
    '': '',

    'nats://ada:zebra@localhost:4222': 'nats://…@localhost:4222',
    'nats://zebra@localhost': 'nats://…@localhost',
    'nats://ada:zebra@a,ada:zebra@b:4222': 'nats://…@b:4222',
    'nats://ada:ze@bra@localhost': 'nats://…@localhost',
    'nats://ada:ze/bra@localhost': 'nats://…',
    'nats://ada:ze?bra@localhost': 'nats://…',
    'nats://ada:ze#bra@localhost': 'nats://…',
    'nats://ada:4222/zebra@localhost': 'nats://…',
    'nats://ada:4222?zebra@localhost': 'nats://…',
    'nats://ada:4222#zebra@localhost': 'nats://…',
    'nats://ada:zebra': 'nats://…',
    'nats://ada:ze bra@localhost': 'nats://…@localhost',
    'nats://ada:zebra@': 'nats://…@…',
    'nats://localhost?nkey=SUZEBRA': 'nats://localhost?nkey=…',
    'nats://localhost?creds=/home/me@work/zebra.creds&tls=true':
      'nats://localhost?creds=…&tls=true',
    'nats://localhost?token=zebra&replicas=3': 'nats://localhost?…&replicas=3',
    'nats://localhost?replicas=zebra': 'nats://localhost?replicas=…',
    'nats://localhost?monitor=http://ada:zebra@a:8222,http://b:8222':
      'nats://localhost?monitor=http://…@a:8222,http://b:8222',
    'NATS://ada:zebra@localhost': 'NATS://…@localhost',
    'nats:ada:zebra@localhost': '…',
    'nats:/ada:zebra@localhost': '…',
    's3://AKIA:zebra@bucket/folder': 's3://…@bucket/folder',
    's3://bucket?endpoint=https://ada:zebra@minio:9000&region=eu-west-1':
      's3://bucket?endpoint=https://…@minio:9000&region=eu-west-1',
    's3://bucket?endpoint=https%3A%2F%2Fada%3Azebra%40minio%3A9000':
      's3://bucket?endpoint=https://…@minio:9000',
    's3://bucket?endpoint=%zebra': 's3://bucket?endpoint=…',
    's3://bucket?secret=zebra': 's3://bucket?…',
    'sqlite:nats://ada:zebra@localhost': 'sqlite:…@localhost',
    'sqlite:/srv/nats:/ada:zebra@localhost': 'sqlite:/srv/…@localhost',
    'sqlite://ada:zebra@localhost/tasks.db': 'sqlite:…',
    'sqlite:/srv/tasks.db?password=zebra': 'sqlite:/srv/tasks.db?password=…',
    'postgres://ada:zebra@localhost/tasks?sslpassword=zebra': 'postgres://…',
    'redis://:zebra@localhost': 'redis://…@localhost',
    'ada:zebra@localhost': '…',
    '//ada:zebra@localhost': '…',
    ' nats://ada:zebra@localhost': '…',
    'nats//ada:zebra@localhost': '…',
  }
  for (const [url, expected] of Object.entries(shown))
    test(url, () => {
      assert.equal(shownUrl(url), expected)
      assert.doesNotMatch(expected, /zebra/i)
    })

  const password = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .map((rest) => `Zeb${rest}ra9`)
  const places: readonly ((secret: string) => string)[] = [
    (secret) => `nats://ada:${secret}@localhost:4222`,
    (secret) => `nats://${secret}@localhost:4222?replicas=3`,
    (secret) => `nats://ada:${secret}@a:1,ada:${secret}@b:2`,
    (secret) => `nats://localhost?nkey=${encodeURIComponent(secret)}`,
    (secret) => `s3://AKIA:${secret}@bucket/folder`,
    (secret) => `s3://bucket?endpoint=https://ada:${encodeURIComponent(secret)}@minio:9000`,
    (secret) => `redis://:${secret}@localhost`,
    (secret) => `sqlite:/srv/nats:/ada:${secret}@localhost`,
  ]
  test('no password shows, whatever is in it', () => {
    fc.assert(
      fc.property(password, fc.constantFrom(...places), (secret, place) => {
        const text = shownUrl(place(secret))
        assert.ok(!text.includes('Zeb') && !text.includes('ra9'), text)
      }),
      { numRuns: 1_000 },
    )
  })

  test('never throws, and shows again what it has shown', () => {
    const pieces = [
      'nats:',
      's3:',
      'sqlite:',
      '//',
      '@',
      ':',
      '?',
      '#',
      '&',
      '=',
      '%',
      '…',
      'a',
      '\n',
    ]
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.constantFrom(...pieces), { maxLength: 20 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, (url) => {
        assert.equal(typeof shownUrl(url), 'string')
        assert.equal(typeof withoutSecrets(url), 'string')
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a message that quotes what was typed', () => {
  const shown: Readonly<Record<string, string>> = {
    'No store at nats://localhost:4222. Use nats://HOST:4222.':
      'No store at nats://localhost:4222. Use nats://HOST:4222.',
    'Its endpoint is not of the form http://HOST:PORT.':
      'Its endpoint is not of the form http://HOST:PORT.',
    'Open http://[::1]:7700/ to see it.': 'Open http://[::1]:7700/ to see it.',
    'The agent ci:build@host has it.': 'The agent ci:build@host has it.',
    'See https://example.com/a:b and http://127.0.0.1:7700/docs':
      'See https://example.com/a:b and http://127.0.0.1:7700/docs',
    'nats://ada:zebra@localhost failed': 'nats://…@localhost failed',
    '/srv/nats:/ada:zebra@localhost is no file': '/srv/…@localhost is no file',
    'nats://ada:ze bra@localhost failed': 'nats://…@localhost failed',
    'nats://ze bra@localhost failed': 'nats://…@localhost failed',
    'No task "nats://ze bra": ask x@y': 'No task "nats://…@y',
    'http://127.0.0.1:7700 is open to ci@host': 'http://127.0.0.1:7700 is open to ci@host',
    [`There is no token "holdfast_${'aB-_'.repeat(11)}".`]: 'There is no token "holdfast_…".',
    'holdfast_queue_tasks_age_seconds is a name': 'holdfast_queue_tasks_age_seconds is a name',
    'nats://ada:zebra can not be': 'nats://… can not be',
    "open 'x?a=1&token=zebra'": "open 'x?a=1&token=…'",
  }
  for (const [message, expected] of Object.entries(shown))
    test(message, () => assert.equal(withoutSecrets(message), expected))

  test('takes no longer for a text that was made for it', () => {
    const since = performance.now()
    for (const piece of ['a:/', 'http://', 'a:', '@', 'x=&', '?key', 'a:/@', '/a:', 'a:b '])
      for (const text of [piece.repeat(50_000), `nats://${piece.repeat(1_300)}`]) {
        withoutSecrets(text)
        shownUrl(text)
        shownUrl(`sqlite:${text}`)
        shownUrl(`s3://${text}`)
      }
    assert.ok(performance.now() - since < 10_000)
  })
})

describe('an error of a store quotes no secret', () => {
  const urls = [
    'nats://ada:80/?ze=bra&zebra@localhost',
    'nats://localhost?replicas=zebra@x',
    'nats://localhost?zebra@x',
    'nats://localhost?zebra',
    'nats://localhost?nkey=zebra&zebra',
    'nats://localhost?nkey=zebra',
    'nats://127.0.0.1:1?creds=-----BEGIN%20zebra-----',
    's3://bucket?endpoint=https://:zebra@localhost',
    's3://bucket?zebra=1',
    'sqlite:/dev/null/nats:/ada:zebra@localhost',
    'sqlite:/dev/null/ada:zebra@localhost',
    'sqlite:/dev/null/tasks.db?password=zebra',
    'zebra://ada:zebra@localhost',
  ]
  for (const url of urls)
    test(url, async () => {
      const error = await openStore(url).then(
        () => assert.fail('opened'),
        (thrown: unknown) => thrown,
      )
      assert.ok(error instanceof StoreError)
      const said = url.startsWith('zebra') ? error.message.replace('zebra:', '') : error.message
      assert.doesNotMatch(said + error.next, /zebra/)
    })
})
