import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, test } from 'vitest'
import { corsCheck } from '../../../src/store/drivers/s3/examination.ts'
import { placeOf } from '../../../src/store/drivers/s3/place.ts'
import { startNats } from '../../servers/nats.ts'
import { sharedMinio, sharedMinistack } from '../../servers/shared.ts'
import { s3Bucket, serving } from '../../store/s3/ground.ts'
import { assumeRole } from '../../store/s3/role.ts'
import { cleanUp, Desk, memoryDesk, newDirectory } from './desk.ts'

cleanUp()

interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

async function examined(desk: Desk, ...args: string[]): Promise<{ exit: number; checks: Check[] }> {
  const { exit, stdout, stderr } = await desk.run(['doctor', '--json', ...args])
  assert.equal(stderr, '')
  const { v, kind, data } = JSON.parse(stdout)
  assert.deepEqual({ v, kind }, { v: 1, kind: 'doctor' })
  for (const check of data) assert.deepEqual(Object.keys(check), ['name', 'ok', 'detail'])
  return { exit, checks: data }
}

const wanted = ['credentials', 'versioning', 'clock', 'race probe', 'CORS']
const failing = (checks: readonly Check[]): string[] =>
  checks.filter(({ ok }) => !ok).map(({ name }) => name)

function assertNames(checks: readonly Check[]): void {
  const names = checks.map(({ name }) => name)
  assert.deepEqual(
    names.filter((name) => wanted.includes(name)),
    wanted,
  )
}

const s3Desk = async (
  server: Parameters<typeof s3Bucket>[0],
  options: Parameters<typeof s3Bucket>[1] = {},
) => {
  const place = await s3Bucket(server, options)
  return { ...place, desk: new Desk(place.account.storeUrl(place.bucket), newDirectory()) }
}

describe('qo doctor', () => {
  test('on a store in memory all is well, and it leaves nothing behind', async () => {
    const desk = memoryDesk()
    await desk.submit('-t', 'x')
    const { exit, checks } = await examined(desk)
    assert.deepEqual([exit, failing(checks)], [0, []])
    assertNames(checks)
    const keys = await desk.withStore(async (store) => {
      const found: string[] = []
      for await (const { key } of store.list('')) found.push(key)
      return found
    })
    assert.equal(keys.length, 2)
    assert.match(await desk.qo('doctor'), /^ok {4}credentials {2}None are needed\.\n/)
  })

  test('on NATS it asks the server for its time, and says how durable it is', async () => {
    await using server = await startNats()
    const desk = new Desk(server.url, newDirectory())
    await desk.submit('-t', 'x')
    const { exit, checks } = await examined(desk)
    assert.deepEqual([exit, failing(checks)], [0, []])
    assertNames(checks)
    assert.ok(checks.some(({ name }) => name === 'durability'))
  })

  test('on MinIO a bucket without versions is exit 1, and with them all is well', async () => {
    const { desk, account, bucket } = await s3Desk(sharedMinio(), { versioned: false })
    const { stdout, exit } = await desk.run(['doctor'])
    assert.equal(exit, 1)
    const failures = stdout.split('\n').filter((line) => line.startsWith('FAIL'))
    assert.equal(failures.length, 1, stdout)
    assert.match(failures[0] ?? '', /^FAIL {2}versioning {3}The bucket keeps no versions\./)
    await account.keepVersions(bucket)
    const kept = await examined(desk)
    assert.deepEqual([kept.exit, failing(kept.checks)], [0, []], JSON.stringify(kept))
    assertNames(kept.checks)
  })

  test('one who may only read is told so, and of no want of versions where that is allowed', async () => {
    const { desk, account, bucket } = await s3Desk(sharedMinio(), { versioned: false })
    const arns = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`]
    const reading = { Effect: 'Allow', Action: ['s3:Get*', 's3:List*'], Resource: arns }
    await assumeRole(account, JSON.stringify({ Version: '2012-10-17', Statement: [reading] }))
    const env = { QO_ALLOW_NO_VERSIONING: '1' }
    const { exit, stdout } = await desk.run(['doctor', '--json'], { env })
    const checks: Check[] = JSON.parse(stdout).data
    assert.deepEqual([exit, failing(checks)], [1, ['race probe']], stdout)
    assertNames(checks)
    assert.equal((await desk.refusal('list')).exit, 4)
    delete process.env['AWS_SESSION_TOKEN']
  })

  test('CORS is asked for as a browser asks, for the origin that is given', async () => {
    const { desk, account, bucket } = await s3Desk(sharedMinistack())
    const place = placeOf(account.storeUrl(bucket))
    const isAllowed = async (origin: string) => (await corsCheck(place, origin)).ok
    assert.equal(await isAllowed('https://queue.example'), false)
    const rule = `<CORSConfiguration><CORSRule><AllowedOrigin>https://queue.example</AllowedOrigin>${['GET', 'PUT', 'HEAD'].map((method) => `<AllowedMethod>${method}</AllowedMethod>`).join('')}<AllowedHeader>*</AllowedHeader></CORSRule></CORSConfiguration>`
    const { status } = await account.request(`/${bucket}?cors`, { method: 'PUT', body: rule })
    assert.ok(status < 300, String(status))
    assert.equal(await isAllowed('https://queue.example'), true)
    // Browsers ask without keys, and so are answered where these are refused: then nothing is tried out.
    process.env['AWS_ACCESS_KEY_ID'] = 'nobody'
    const others = wanted.filter((name) => name !== 'CORS')
    const given = await examined(desk, '--origin', 'https://queue.example/page')
    assert.deepEqual([given.exit, failing(given.checks)], [1, others], JSON.stringify(given))
    assertNames(given.checks)
    const usual = await examined(desk)
    assert.deepEqual([usual.exit, failing(usual.checks)], [1, wanted], JSON.stringify(usual))
    assert.match(usual.checks.at(-1)?.detail ?? '', /^Pages of http:\/\/localhost may not GET/)
    assert.equal((await desk.refusal('doctor', '--origin', 'nowhere')).exit, 2)
  })

  test('a server that speaks no S3, or does not answer, is told of', async () => {
    await s3Bucket(sharedMinio())
    const server = createServer((_, response) => response.end('hello'))
    await serving(server, async (endpoint) => {
      const { exit, checks } = await examined(
        new Desk(`s3://some?endpoint=${endpoint}`, newDirectory()),
      )
      assert.equal(exit, 1)
      assertNames(checks)
      assert.match(checks[0]?.detail ?? '', /does not speak S3/)
    })
    const down = new Desk('s3://some?endpoint=http://127.0.0.1:9&timeout_ms=300', newDirectory())
    const { exit, checks } = await examined(down)
    assert.deepEqual([exit, failing(checks)], [1, wanted])
  })
})
