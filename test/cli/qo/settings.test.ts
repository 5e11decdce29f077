import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import type { Io } from '../../../src/cli/program/io.ts'
import { environmentStore } from '../../../src/cli/qo/queue.ts'
import { create } from '../../../src/store/index.ts'
import { until } from '../../eventually.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { s3Bucket } from '../../store/s3/ground.ts'
import { cleanUp, Desk, memoryDesk, newDirectory, nobody } from './desk.ts'
import { Running } from './running.ts'

cleanUp()

const bin = join(process.cwd(), 'bin/qo')

function sqliteDesk(): Desk {
  const directory = newDirectory()
  return new Desk(`sqlite:${join(directory, 'queue.db')}`, directory)
}

const named = (env: Record<string, string>): string | undefined =>
  environmentStore({ env } as unknown as Io)

describe('the store', () => {
  test('S3_BUCKET, S3_ENDPOINT and S3_REGION name one', () => {
    assert.equal(named({}), undefined)
    assert.equal(named({ S3_ENDPOINT: 'http://localhost:9000' }), undefined)
    assert.equal(named({ S3_BUCKET: 'task-queue' }), 's3://task-queue')
    assert.equal(
      named({ S3_BUCKET: 'q', S3_ENDPOINT: 'http://localhost:3902/', S3_REGION: 'eu-west-1' }),
      's3://q?endpoint=http%3A%2F%2Flocalhost%3A3902&region=eu-west-1',
    )
  })

  test('comes from --store, HOLDFAST_STORE, S3_*, then files', async () => {
    const desk = memoryDesk()
    await desk.submit('-t', 'x')
    desk.place('.holdfast.yaml', 'store: "memory:"\n')
    const S3 = { S3_BUCKET: 'none', S3_ENDPOINT: 'http://127.0.0.1:9' }
    const exit = async (args: string[], env: Record<string, string | undefined>) => {
      const { stderr, ...outcome } = await desk.run(['list', ...args], { env })
      return [outcome.exit, /bucket none/.test(stderr)]
    }
    assert.deepEqual(await exit(['--store', desk.url], { HOLDFAST_STORE: 'memory:', ...S3 }), [
      0,
      false,
    ])
    assert.deepEqual(await exit([], S3), [0, false], 'HOLDFAST_STORE comes first')
    // The driver looks for keys there, whosever they are: this server is never asked.
    await s3Bucket(sharedMinio())
    assert.deepEqual(await exit([], { HOLDFAST_STORE: undefined, ...S3 }), [7, true])
    assert.deepEqual(
      await exit([], { HOLDFAST_STORE: undefined }),
      [4, false],
      'a file names memory:',
    )
  })

  test('only submit and worker make one; anything else on a missing store is 4 and makes nothing', async () => {
    const desk = sqliteDesk()
    for (const args of [
      ['list'],
      ['stats'],
      ['workers'],
      ['tail'],
      ['monitor'],
      ['monitor', '--once'],
      ['doctor'],
      ['status', nobody],
      ['history', nobody],
      ['replay', nobody],
      ['cancel', nobody],
    ]) {
      const { exit, code } = await desk.refusal(...args)
      assert.deepEqual([exit, code], [4, 'no_store'], args.join(' '))
    }
    assert.equal((await desk.refusal('list')).exit, 4)
    await using worker = await Running.start(['worker', '--exec', 'x=cat'], {
      HOLDFAST_STORE: desk.url,
    })
    assert.equal(await worker.end('SIGTERM'), 0)
    assert.deepEqual((await desk.json('list')).data, [])
  })

  test('an unknown URL is 2', async () => {
    assert.equal((await memoryDesk().refusal('list', '--store', 'ftp://x')).exit, 2)
  })
})

describe('a bucket', () => {
  const place = s3Bucket(sharedMinio(), { versioned: false })

  test('without versioning is 4, unless QO_ALLOW_NO_VERSIONING allows it', async () => {
    const { url } = await place
    const desk = new Desk(url('plain'), newDirectory())
    const { exit, code, line } = await desk.refusal('submit', '-t', 'x')
    assert.deepEqual([exit, code], [4, 'no_store'])
    assert.match(line, /keeps no versions.*QO_ALLOW_NO_VERSIONING=1/)
    for (const allowed of ['0', 'false', ''])
      assert.equal(
        (await desk.run(['submit', '-t', 'x'], { env: { QO_ALLOW_NO_VERSIONING: allowed } })).exit,
        4,
      )
    const env = { QO_ALLOW_NO_VERSIONING: '1' }
    const { exit: done, stdout } = await desk.run(['submit', '-t', 'x', '--json'], { env })
    assert.equal(done, 0)
    const { id } = JSON.parse(stdout).data
    assert.equal((await desk.run(['cancel', id], { env })).exit, 0)
    const history = await desk.run(['history', id, '--json'], { env })
    assert.equal(JSON.parse(history.stdout).data.length, 2)
    assert.equal(
      (await desk.refusalIn({ env: { QO_ALLOW_NO_VERSIONING: 'maybe' } }, 'list')).exit,
      2,
    )
  })

  test('that is not there is 4, and is never made', async () => {
    const { account } = await place
    const desk = new Desk(account.storeUrl('holdfast-none'), newDirectory())
    for (const args of [['submit', '-t', 'x'], ['list'], ['doctor'], ['worker', '--exec', 'x=cat']])
      assert.equal((await desk.refusal(...args)).exit, 4, args.join(' '))
    assert.equal((await account.request('/holdfast-none')).status, 404)
  })

  test('that one may not use is 4', () => {
    const env = {
      PATH: process.env['PATH'],
      S3_BUCKET: 'some',
      S3_ENDPOINT: '',
      AWS_ACCESS_KEY_ID: 'NOBODY',
      AWS_SECRET_ACCESS_KEY: 'nothing',
    }
    return place.then(({ bucket, account }) => {
      const asked = { ...env, S3_BUCKET: bucket, S3_ENDPOINT: account.endpoint }
      const { status } = spawnSync(bin, ['list'], { env: asked, encoding: 'utf8' })
      assert.equal(status, 4)
      const doctor = spawnSync(bin, ['doctor', '--json'], { env: asked, encoding: 'utf8' })
      assert.equal(doctor.status, 1)
      const { name, ok } = JSON.parse(doctor.stdout).data[0]
      assert.deepEqual([name, ok], ['credentials', false])
    })
  })
})

describe('settings of a worker', () => {
  test('what can never be is 2, and names the flag or the variable', async () => {
    const desk = memoryDesk()
    const worker = ['worker', '--exec', 'x=cat']
    for (const [args, env, name] of [
      [['--index-mode', 'fast'], {}, '--index-mode'],
      [['--shards', 'g'], {}, '--shards'],
      [['--shards', '7-0'], {}, '--shards'],
      [['--concurrency', '0'], {}, '--concurrency'],
      [['--lease', '500ms'], {}, '--lease'],
      [['--lease', 'x'], {}, '--lease'],
      [['--shutdown-deadline', '-1'], {}, '--shutdown-deadline'],
      [['--metrics', '65536'], {}, '--metrics'],
      [['--check-interval', '0'], {}, '--check-interval'],
      [['--ready-page-size', '0'], {}, '--ready-page-size'],
      [[], { QO_INDEX_MODE: 'fast' }, 'QO_INDEX_MODE'],
      [[], { QO_READY_PAGE_SIZE: 'many' }, 'QO_READY_PAGE_SIZE'],
      [[], { QO_LOG_SCAN_PAGE_SIZE: '0' }, 'QO_LOG_SCAN_PAGE_SIZE'],
      [[], { QO_NO_MONITOR: 'perhaps' }, 'QO_NO_MONITOR'],
      [[], { QO_MONITOR_CHECK_INTERVAL: 'often' }, 'QO_MONITOR_CHECK_INTERVAL'],
      [[], { QO_MONITOR_WORKER_HEALTH_THRESHOLD: '-1' }, 'QO_MONITOR_WORKER_HEALTH_THRESHOLD'],
      [[], { QO_MONITOR_SWEEP_INTERVAL: '2d' }, 'QO_MONITOR_SWEEP_INTERVAL'],
      [[], { QO_MONITOR_SWEEP_PAGE_SIZE: '1.5' }, 'QO_MONITOR_SWEEP_PAGE_SIZE'],
      [[], { HOLDFAST_LOG: 'loud' }, 'HOLDFAST_LOG'],
    ] as const) {
      const { exit, message } = await desk.refusalIn({ env }, ...worker, ...args)
      assert.equal(exit, 2, name)
      assert.ok(message.startsWith(`${name} takes no "`), message)
    }
  })

  test('a bad name is 2, and makes no store', async () => {
    const desk = sqliteDesk()
    for (const id of ['', 'a\u0007b', 'x'.repeat(201)])
      assert.equal((await desk.refusal('worker', '--exec', 'x=cat', '--id', id)).exit, 2)
    assert.equal((await desk.refusal('list')).exit, 4)
  })

  test('concurrency and lease may stand in a file, which a bad value names with its line', async () => {
    const desk = sqliteDesk()
    const write = (text: string) => writeFileSync(join(desk.directory, '.holdfast.yaml'), text)
    write('lease: 10ms\n')
    const refused = await desk.run(['worker', '--exec', 'a=true'])
    assert.equal(refused.exit, 2)
    assert.match(refused.stderr, /holdfast\.yaml.* takes no "10ms".*1 second to 7 days/)
    write('concurrency: many\n')
    const wrong = await desk.run(['worker', '--exec', 'a=true'])
    assert.equal(wrong.exit, 2)
    assert.match(wrong.stderr, /\.holdfast\.yaml, line 1/)
  })

  test('a flag goes before its variable', async () => {
    const desk = memoryDesk()
    const env = { QO_MONITOR_CHECK_INTERVAL: 'often' }
    const { exit } = await desk.run(['submit', '-t', 'x'], { env })
    assert.equal(exit, 0)
    const once = await desk.run(['monitor', '--once', '--check-interval', '5'], { env })
    assert.equal(once.exit, 0)
  })

  test('the index modes look where they say', async () => {
    const desk = sqliteDesk()
    const { id } = await desk.submit('-t', 'x')
    // Another program puts a task there, without an entry in the index.
    const foreign = 'c0ffee00-1111-4222-8333-444455556666'
    const task = { ...(await desk.status(id)), id: foreign, shard: 'c' }
    await desk.withStore((store) =>
      store.commit([create(`qo/tasks/c/${foreign}.json`, Buffer.from(JSON.stringify(task)))]),
    )
    const env = { HOLDFAST_STORE: desk.url, QO_NO_MONITOR: 'true' }
    const run = (mode: Record<string, string>) =>
      Running.start(['worker', '--exec', 'x=cat'], { ...env, ...mode })
    {
      await using worker = await run({ QO_INDEX_MODE: 'index-only', QO_READY_PAGE_SIZE: '1' })
      await worker.event('completed', id)
      // No event tells that it is not found.
      await sleep(1_500)
      assert.equal((await desk.status(foreign)).status, 'pending')
    }
    await using worker = await run({ QO_INDEX_MODE: 'log-scan', QO_LOG_SCAN_PAGE_SIZE: '1' })
    await worker.event('completed', foreign)
  })

  test('a worker looks only in its shards', async () => {
    const desk = sqliteDesk()
    const [low, high] = ['00000000', 'f0000000'].map(
      (start) => `${start}-0000-4000-8000-000000000001`,
    )
    for (const id of [low, high]) await desk.submit('-t', 'x', '--id', id as string)
    const env = { HOLDFAST_STORE: desk.url }
    await using worker = await Running.start(
      ['worker', '--exec', 'x=cat', '--shards', '8-e,F'],
      env,
    )
    await worker.event('completed', high)
    // No event tells that it is not found.
    await sleep(500)
    assert.equal((await desk.status(low as string)).status, 'pending')
    assert.deepEqual((await desk.json('workers')).data[0].shards, [...'89abcdef'])
  })
})

describe('the log', () => {
  /** What a worker says until it has run a task, and as it ends. */
  async function said(desk: Desk, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const { id } = await desk.submit('-t', 'x')
    const child = spawn(bin, ['worker', '--exec', 'x=cat', '--id', 'w', ...args], {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', HOLDFAST_STORE: desk.url, ...env },
    })
    const [ended, ...texts] = await Promise.all([
      once(child, 'exit'),
      text(child.stdout),
      text(child.stderr),
      (async () => {
        await until(async () => (await desk.status(id)).status === 'completed')
        // It may say so a moment later, or nothing at all.
        await sleep(300)
        child.kill('SIGTERM')
      })(),
    ])
    assert.equal(ended[0], 0)
    return { stdout: texts[0], stderr: texts[1] }
  }

  test('is lines for a person on stderr; HOLDFAST_LOG and --quiet choose what is told', async () => {
    const desk = sqliteDesk()
    const { stdout, stderr } = await said(desk, ['--no-monitor'], { HOLDFAST_LOG: 'debug' })
    assert.equal(stdout, '')
    const time = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z'
    for (const line of [
      `^${time} info  Worker w works on x$`,
      `^${time} debug Started x \\S{36}, attempt 1$`,
      `^${time} info  Completed x \\S{36} in \\d+ ms$`,
      `^${time} info  Ending on SIGTERM: nothing runs$`,
      `^${time} info  Worker w has ended$`,
    ])
      assert.match(stderr, new RegExp(line, 'm'))
    assert.equal((await said(desk, [], { HOLDFAST_LOG: 'error' })).stderr, '')
    assert.equal((await said(desk, ['--quiet'])).stderr, '')
  })
})
