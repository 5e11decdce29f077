import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, describe, test, vi } from 'vitest'
import { openStore, StoreError } from '../../src/store/index.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const secret = 'zsEc\\ReT"7/é'
const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), 'zsEc']

/** Everything that can be found out about an error. */
const allOf = (error: unknown): string =>
  [
    inspect(error, { depth: 20, showHidden: true, maxStringLength: null }),
    String(error),
    (error as Error).stack,
  ].join('\n')

function assertHidden(error: unknown): StoreError {
  assert.ok(error instanceof StoreError, String(error))
  for (const form of forms) assert.ok(!allOf(error).includes(form), allOf(error))
  return error
}

/** A server that answers whoever connects. */
async function served(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    serve(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const failureOf = async (url: string): Promise<unknown> => {
  try {
    await using store = await openStore(url)
    await store.get('ns/a')
  } catch (error) {
    return error
  }
  return assert.fail('it succeeded')
}

describe('no error of a store holds a secret that a NATS server repeats, at any depth', () => {
  const info = {
    ...{ server_id: 'X', server_name: 'x', version: '2.11.0', host: '127.0.0.1', port: 4222 },
    ...{ headers: true, max_payload: 1_048_576, proto: 1, auth_required: true, jetstream: true },
  }
  const repeats: Readonly<Record<string, (said: string) => string>> = {
    'as a violation': (said) => `-ERR 'Authorization Violation for ${said}'\r\n`,
    'as an unknown error': (said) => `-ERR 'no, not ${said}'\r\n`,
    'as a missing permission': (said) =>
      `-ERR 'Permissions Violation for Publish to "${said}"'\r\n`,
    'as nonsense': (said) => `${said}\r\n`,
    'as a second greeting': (said) => `INFO ${said} {\r\n`,
  }
  const repeating = (form: (said: string) => string) =>
    served((socket) => {
      socket.write(`INFO ${JSON.stringify(info)}\r\n`)
      socket.once('data', (bytes) => {
        const [, said = ''] = /CONNECT (.*?)\r\n/.exec(bytes.toString()) ?? []
        assert.match(said, /zsEc/)
        socket.end(form(said.replaceAll("'", '')))
      })
    })
  for (const [name, form] of Object.entries(repeats))
    for (const user of [`ada:${encodeURIComponent(secret)}`, encodeURIComponent(secret)])
      test(`${name}, for ${user.includes(':') ? 'a password' : 'a token'}`, async () => {
        await using server = await repeating(form)
        const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
        assertHidden(await failureOf(`nats://${user}@${server.host}?timeout_ms=500`))
        for (const each of printed.mock.calls.flat()) assert.doesNotMatch(inspect(each), /zsEc|ReT/)
      })

  test('also where it is so short that only the name of its field hides it', async () => {
    await using server = await served((socket) => {
      socket.write(`INFO ${JSON.stringify(info)}\r\n`)
      socket.once('data', () =>
        socket.end(`-ERR 'Authorization Violation for {"user":"ada","pass":"qq7"}'\r\n`),
      )
    })
    const error = await failureOf(`nats://ada:qq7@${server.host}?timeout_ms=500`)
    assert.ok(error instanceof StoreError && error.cause instanceof Error)
    assert.doesNotMatch(allOf(error), /qq7/)
  })
})

describe('no error of a store holds a secret that an S3 server repeats, at any depth', () => {
  // Only such characters can be sent.
  const token = 'zsEcReT7'
  const answer = (status: string, head: string, body: string) =>
    `HTTP/1.1 ${status}\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  const repeats: Readonly<Record<string, string>> = {
    'in a text': answer('400 Bad Request', '', `<Error><Message>${token}</Message></Error>`),
    'as the word for what is wrong': answer('400 No', '', `<Error><Code>${token}</Code></Error>`),
    'as the region': answer('301 Moved', `x-amz-bucket-region: ${token}\r\n`, ''),
    'in a header': answer('403 Forbidden', `x-amz-id-2: ${token}\r\nServer: ${token}\r\n`, ''),
    'as nonsense': `${token}\r\n\r\n`,
  }
  for (const [name, text] of Object.entries(repeats))
    test(name, async () => {
      vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIA')
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'more-zsEcReT7')
      vi.stubEnv('AWS_SESSION_TOKEN', token)
      await using server = await served((socket) => {
        socket.once('data', (bytes) => {
          assert.match(bytes.toString(), /zsEcReT7/)
          socket.end(text)
        })
      })
      assertHidden(await failureOf(`s3://bucket?endpoint=http://${server.host}&timeout_ms=500`))
    })
})

test('causes keep what they are, and what is no secret', () => {
  const inner = Object.assign(new TypeError('nats://ada:zebra@host failed'), {
    ...{ code: 'EX', status: 7, headers: { location: 'nats://ada:zebra@host/x', server: 'minio' } },
  })
  const cause = new AggregateError([inner], 'all failed', { cause: 'nats://ada:zebra@host' })
  Object.assign(cause, { itself: cause })
  const error = new StoreError('down', 'It is down.', 'Wait.', cause)
  assert.equal(error.cause, cause)
  assert.doesNotMatch(allOf(error.cause), /zebra/)
  assert.ok(inner instanceof TypeError)
  assert.deepEqual(
    [inner.message, inner.code, inner.status, inner.headers.server],
    ['nats://…@host failed', 'EX', 7, 'minio'],
  )
  assert.match(inner.stack ?? '', /TypeError: nats:\/\/…@host failed\n\s+at /)
  const frozen = Object.freeze(new Error('nats://ada:zebra@host'))
  assert.doesNotMatch(inspect(new StoreError('down', 'It is down.', 'Wait.', frozen)), /zebra/)
})
