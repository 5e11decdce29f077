import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { Repository } from '../../src/queue/repository.ts'
import { withBrowser } from './browser.ts'
import { BucketScene } from './bucket.ts'
import { claim, finish } from './outcomes.ts'

describe('the queue of a bucket, without a server', () => {
  const { visit, stay } = withBrowser()
  let scene: BucketScene
  beforeAll(async () => {
    scene = await BucketScene.start()
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  /** A page of the bucket with the keys given, at a place of its own. */
  const open = async (path = 'queue') => {
    const guest = await stay(`${scene.url}#/${path}`, (page) => scene.connect(page))
    // The bucket answers the look for a server with 403 or 404.
    guest.expect(/40[034]/)
    return guest
  }
  const failed = async () => {
    const { id } = await scene.queue.submit({ type: 'mail', input: { to: 'ada' }, maxRetries: 0 })
    await finish(scene.store, id, 'fail')
    return id
  }
  const stored = async (id: string) => scene.object(`tasks/${id.charAt(0)}/${id}.json`)

  // First, for it leaves the page that the others go on with connected.
  test('keys that are wrong say which part, and the form stays; pasted ones are understood', async () => {
    const guest = await stay(scene.url)
    guest.expect(/40[034]/)
    await scene.connect(guest, { 'Secret access key': 'wrong' })
    await guest.says('The secret access key does not belong to this access key.')
    await scene.connect(guest, { 'Access key ID': 'NOBODY' })
    await guest.says(/S3 does not know this access key/)
    await scene.connect(guest, { Bucket: 'no-such-bucket-anywhere' })
    await guest.says('There is no such bucket.')
    await scene.connect(guest, {
      Bucket: scene.bucket,
      'Access key ID': '',
      'Secret access key': '',
    })
    await guest.says('The access key ID or the secret access key is missing.')
    // What the AWS command printed is understood, too.
    const { accessKeyId, secretAccessKey } = scene.account
    const pasted = { Credentials: { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey } }
    await guest.page.getByText('Or paste what the AWS command printed').click()
    await guest.page.getByLabel(/^JSON of aws sts/).fill(JSON.stringify(pasted, null, 2))
    await guest.press('Connect')
    await guest.says('Newest tasks')
  })

  test('the page comes from the bucket, knows it, and keeps the keys nowhere', async () => {
    const guest = await visit(scene.url)
    guest.expect(/40[034]/)
    await guest.says('Look at a bucket')
    assert.equal(await guest.page.getByLabel('Bucket', { exact: true }).inputValue(), scene.bucket)
    await guest.picture('connect-light')
    await scene.connect(guest)
    await guest.says(`Bucket ${scene.bucket}`)
    const kept = await guest.page.evaluate<string>(
      'JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }])',
    )
    assert.ok(
      !kept.includes(scene.account.secretAccessKey) && !kept.includes(scene.account.accessKeyId),
    )
    assert.ok(guest.requests.every((request) => !request.includes(scene.account.secretAccessKey)))
    assert.deepEqual([...guest.hosts], [new URL(scene.url).host])
    await guest.press('Forget the keys')
    await guest.says('Look at a bucket')
    assert.equal(await guest.page.getByLabel('Secret access key').inputValue(), '')
  })

  test('submits, counts, lists, and says what a bucket alone does not show', async () => {
    const ended = await failed()
    const guest = await open()
    await guest.says('Newest tasks')
    await guest.page.locator('.c-failed', { hasText: '1failed' }).waitFor()
    await guest.press('Submit a task')
    await guest.page.getByLabel('Type').fill('listed')
    await guest.page.getByLabel(/^Input/).fill('{ "n": 1 }')
    await guest.press('Submit')
    await guest.page.locator('h1', { hasText: 'listed' }).waitFor()
    const [made] = (await scene.queue.list({ type: 'listed' })).tasks
    const id = made?.id ?? assert.fail('there is no such task')
    assert.deepEqual([made?.input, made?.status, made?.max_retries], [{ n: 1 }, 'pending', 3])
    const { missing, stale } = await scene.queue.repair()
    assert.deepEqual([missing, stale], [0, 0], 'with its entry in the index')
    await guest.page.goto(`${scene.url}#/queue/tasks?status=pending`)
    await guest.page.getByRole('link', { name: `Task ${id}` }).waitFor()
    await guest.page.goto(`${scene.url}#/queue/tasks?status=failed`)
    await guest.page.getByRole('link', { name: `Task ${ended}` }).waitFor()
    for (const section of ['plans', 'tree', 'lists', 'jobs']) {
      await guest.page.goto(`${scene.url}#/${section}`)
      await guest.says('Without a server, only the queue of a bucket is shown.')
    }
    await finish(scene.store, id, 'complete')
  })

  test('replay: the task as the queue writes it, with its entry in the index', async () => {
    const id = await failed()
    const guest = await open(`queue/task/${id}`)
    // An entry of this minute was taken away already, as an empty object: its creation finds that.
    guest.expect(/412/)
    await guest.press('Replay')
    await guest.says('It is pending again, with all its retries.')
    const task = await scene.queue.get(id)
    assert.equal(task.status, 'pending')
    assert.match(await stored(id), /,"_w":"[0-7][0-9A-HJKMNP-TV-Z]{25}"\}$/)
    const entry = (await scene.names(`ready/${id.charAt(0)}/`)).find((name) => name.endsWith(id))
    assert.match(await scene.object(entry ?? assert.fail('no entry')), /^w:[0-7]\w{25}\nmail$/)
    const { missing, stale } = await scene.queue.repair()
    assert.deepEqual(
      { missing, stale },
      { missing: 0, stale: 0 },
      'the indexes are as they should be',
    )
    await finish(scene.store, id, 'complete')
    assert.equal((await scene.queue.get(id)).status, 'completed', 'a worker takes it as any other')
  })

  test('cancel takes the entry away; archive and unarchive go there and back', async () => {
    const { id } = await scene.queue.submit({ type: 'mail' })
    const guest = await open(`queue/task/${id}`)
    guest.expect(/412/)
    await guest.press('Cancel')
    await guest.says('It is cancelled.')
    assert.equal((await scene.queue.get(id)).status, 'cancelled')
    const left = (await scene.names('ready/')).filter((name) => name.endsWith(id))
    assert.deepEqual(left, [])
    await guest.press('Archive')
    await guest.says('It is archived.')
    await guest.press('Unarchive')
    await guest.says(/^It is (failed|cancelled) again\.$/)
    assert.equal((await scene.queue.get(id)).status, 'cancelled')
    await guest.press('Replay')
    await guest.says('It is pending again, with all its retries.')
    assert.equal((await scene.queue.get(id)).status, 'pending')
    const done = await failed()
    await guest.page.goto(`${scene.url}#/queue/task/${done}`)
    await guest.press('Archive')
    await guest.says('It is archived.')
    await guest.press('Unarchive')
    await guest.says(/^It is (failed|cancelled) again\.$/)
    assert.equal((await scene.queue.get(done)).status, 'failed')
  })

  test('history from the versions of the object; large contents from where they lie', async () => {
    const { id } = await scene.queue.submit({ type: 'big', input: { text: 'y'.repeat(100_000) } })
    await claim(scene.store, id, 'worker-5')
    const guest = await open(`queue/task/${id}`)
    await guest.says('show all 100,000 characters')
    await guest.says('attempt 1 by worker-5')
    await guest.shows('.timeline li', 2)
  })

  test('two people at once: the later one is told, and nothing is written over or brought back', async () => {
    const id = await failed()
    const guest = await open(`queue/task/${id}`)
    await guest.says('Last error')
    await scene.queue.archive(id)
    await guest.press('Replay')
    await guest.says('Nothing was changed. Someone else changed the task.')
    assert.equal((await scene.queue.get(id)).status, 'archived')
    await guest.page.locator('h1 .status', { hasText: 'archived' }).waitFor()
    // And where somebody has deleted it, it is gone from the page.
    await scene.remove(`tasks/${id.charAt(0)}/${id}.json`)
    await guest.press('Unarchive')
    await guest.says(/it was deleted or never existed/)
    await guest.saysNothingOf('Last error')
  })

  test('a task that another tool wrote, and one that nobody can read', async () => {
    const id = 'a1111111-2222-4333-8444-555555555555'
    const created_at = '2026-01-02T03:04:05Z'
    await scene.put(
      `tasks/a/${id}.json`,
      JSON.stringify({ id, task_type: 'foreign', status: 'failed', created_at, mine: 7 }),
    )
    const broken = 'b1111111-2222-4333-8444-555555555555'
    await scene.put(`tasks/b/${broken}.json`, '{"half":')
    const guest = await open('queue/tasks')
    await guest.says('1 object can’t be read as a task')
    await guest.page.goto(`${scene.url}#/queue/task/${id}`)
    await guest.press('Replay')
    await guest.says('It is pending again, with all its retries.')
    assert.equal(JSON.parse(await stored(id)).mine, 7)
    await guest.page.goto(`${scene.url}#/queue/task/${broken}`)
    await guest.says(/can’t be read: /)
    await guest.page.goto(`${scene.url}#/queue/task/c1111111-2222-4333-8444-555555555555`)
    await guest.says(/it was deleted or never existed/)
  })

  test('a bucket that keeps no versions shows the history of a task, and adds to it', async () => {
    await using plain = await BucketScene.start({ versioned: false })
    const queue = plain.queue
    const { id } = await queue.submit({ type: 'plain', maxRetries: 0 })
    await finish(plain.store, id, 'fail')
    const { id: long } = await queue.submit({ type: 'long', maxRetries: 0 })
    const repository = new Repository(plain.store, () => {})
    for (let nth = 0; nth < 5; nth++) {
      if (nth > 0) await queue.replay(long)
      const leaseId = await claim(plain.store, long)
      const failure = { error: `${nth} ${'x'.repeat(4_000)}`, isPermanent: true, random: 0 }
      const nowMs = await plain.store.now()
      await repository.change(long, ['fail', { leaseId, nowMs, ...failure }])
    }
    const before = (await queue.history(long)).length
    await using guest = await visit(`${plain.url}#/queue/task/${id}`)
    guest.expect(/40[034]|412/)
    await plain.connect(guest)
    await guest.says(/The bucket is not versioned/)
    await guest.press('Archive')
    await guest.says(/archived/)
    const statuses = (await queue.history(id)).map(({ task }) => task.status)
    assert.deepEqual(statuses, ['pending', 'running', 'failed', 'archived'])
    await guest.shows('.version-number', 4)
    // The trail of this one has outgrown its document: the page moves it, as the queue does.
    await guest.page.goto(`${plain.url}#/queue/task/${long}`)
    await guest.says('long')
    await guest.press('Replay')
    await guest.says('It is pending again, with all its retries.')
    const history = await queue.history(long)
    assert.equal(history.length, before + 1)
    assert.equal(history.at(-1)?.task.status, 'pending')
    assert.equal((await plain.names('holdfast/qo_own/history/')).length, 1)
  })
})
