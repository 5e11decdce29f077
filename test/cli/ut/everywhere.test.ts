import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startNats } from '../../servers/nats.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { temporaryFolder } from '../../store/ground.ts'
import { rememberProbe } from '../../store/s3/known-probe.ts'
import { Desk, memoryDesk } from './desk.ts'

interface Place extends AsyncDisposable {
  readonly url: string
}

/** Where a new user starts: nothing is there yet, but for the bucket, which Holdfast never makes, and what a probe has found. */
const places: Readonly<Record<string, () => Promise<Place>>> = {
  memory: async () => ({ url: memoryDesk().url, [Symbol.asyncDispose]: async () => {} }),
  sqlite: async () => {
    const folder = await temporaryFolder()
    const url = `sqlite:${folder.path('deep/below/tasks.db')}`
    return { url, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
  },
  nats: startNats,
  's3 (MinIO)': async () => {
    const account = await sharedMinio()
    Object.assign(process.env, account.environment)
    const bucket = await account.createBucket({ versioned: true })
    // To try the server out takes more than a thousand writes; one file of a run has done so.
    await rememberProbe(account, bucket)
    return { url: account.storeUrl(bucket), [Symbol.asyncDispose]: async () => {} }
  },
}

for (const [kind, open] of Object.entries(places))
  describe(`ut on ${kind}`, () => {
    let place: Place
    let desk: Desk
    beforeAll(async () => {
      place = await open()
      desk = new Desk(place.url)
    })
    afterAll(() => place[Symbol.asyncDispose]())

    test('does what the transcript of the seed shows', async () => {
      const row = await desk.ut('add', 'Buy milk', '-t', 'errand', '-t', 'shopping')
      assert.match(row, /^[0-9a-f]{12} {2}Buy milk {2}\[errand,shopping\]\n$/)
      const prefix = row.slice(0, 8)
      assert.match(
        await desk.ut('done', prefix),
        new RegExp(`^OK \\(matched id ${prefix}[0-9a-f]{6}\\.\\.\\.[0-9a-f]{4}\\)\\n$`),
      )
      const ship = await desk.add('Ship patch', '-t', 'work', '-t', 'urgent')
      await desk.add('Pager duty', '-t', 'ops,urgent')
      assert.match(
        await desk.ut('ls', '--all', 'urgent,work'),
        /^\w{12} {2}Ship patch {2}\[work,urgent\]\n$/,
      )
      assert.match(
        await desk.ut('rm', ship.id.slice(0, 8)),
        /^Deleted \(matched id [0-9a-f]{14}\.\.\.[0-9a-f]{4}\)\n$/,
      )
    })

    test('and everything else', async () => {
      assert.equal((await desk.lines('ls')).length, 2)
      const [open] = (await desk.json()).data
      assert.equal(open.text, 'Pager duty')
      assert.match(
        await desk.ut('edit', open.id, '-t', '-ops', '--text', 'Sleep'),
        /Sleep {2}\[urgent\]/,
      )
      assert.equal(await desk.ut('tags'), 'errand  1\nshopping  1\nurgent  1\n')
      assert.match(await desk.ut('show', open.id), /\ntext: Sleep\n/)
      const before = await desk.json('ls')
      await desk.ut('rebuild-index')
      assert.deepEqual(await desk.json('ls'), before)
      assert.equal((await desk.run(['show', 'f'.repeat(128)])).exit, 3)
    })
  })
