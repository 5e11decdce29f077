import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { describe, test } from 'vitest'
import { TaskList } from '../../../src/list/index.ts'
import { Queue } from '../../../src/queue/index.ts'
import { openStore } from '../../../src/store/index.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { s3Bucket } from '../../store/s3/ground.ts'
import { Desk } from './desk.ts'

/** A desk with a store that has three tasks, and a file that they were exported to. */
async function prepared() {
  const desk = new Desk()
  const from = `sqlite:${desk.path('from.db')}`
  await using store = await openStore(from)
  const list = new TaskList(store)
  for (const text of ['One', 'Two', 'Three']) await list.add(text, ['a'])
  const { exit } = await desk.run(['export', 'all.ndjson', '--store', from])
  assert.equal(exit, 0)
  return { desk, from, to: `sqlite:${desk.path('to.db')}`, file: desk.path('all.ndjson') }
}

const textsIn = async (url: string) => {
  await using store = await openStore(url, { create: false })
  return (await new TaskList(store).query({ all: ['a'] })).map(({ text }) => text)
}

describe('holdfast export', () => {
  test('writes a file, which only its owner may read, and tells what is in it', async () => {
    const { desk, from } = await prepared()
    using _ = desk
    const { stdout } = await desk.run(['export', 'b.ndjson', '--store', from, '--json'])
    const { kind, data } = JSON.parse(stdout)
    assert.equal(kind, 'export')
    const counted = { documents: 3, models: { list: 3 }, changing: 0, changing_keys: [] }
    assert.deepEqual(data, { file: desk.path('b.ndjson'), ...counted })
    assert.equal(statSync(desk.path('b.ndjson')).mode & 0o777, 0o600)
    assert.match(readFileSync(desk.path('b.ndjson'), 'utf8'), /"store":"sqlite"/)
    const said = await desk.run(['export', 'c.ndjson', '--store', from])
    assert.equal(said.stdout, 'Exported 3 documents (3 list) to c.ndjson.\n')
  })

  for (const args of [[], ['-']])
    test(`${args.join('')} writes to stdout, and says how much on stderr`, async () => {
      const { desk, from } = await prepared()
      using _ = desk
      const { exit, stdout, stderr } = await desk.run(['export', ...args, '--store', from])
      assert.deepEqual(
        { exit, stderr },
        { exit: 0, stderr: 'holdfast: Exported 3 documents (3 list).\n' },
      )
      assert.equal(stdout.trimEnd().split('\n').length, 5)
    })

  test('takes the history of queue tasks out of a bucket that keeps versions', async () => {
    using desk = new Desk()
    const url = (await s3Bucket(sharedMinio())).url('export')
    await using store = await openStore(url)
    await new TaskList(store).add('Buy milk')
    const queue = new Queue(store)
    const { id } = await queue.submit({ type: 'work' })
    await queue.cancel(id)
    await queue.close()
    const { exit, stderr } = await desk.run(['export', 'bucket.ndjson', '--store', url])
    assert.equal(exit, 0)
    assert.equal(stderr, '')
    await desk.run(['import', 'bucket.ndjson', '--store', 'sqlite:copy.db'])
    await using copy = await openStore(`sqlite:${desk.path('copy.db')}`)
    const statuses = (await new Queue(copy).history(id)).map(({ task }) => task.status)
    assert.deepEqual(statuses, ['pending', 'cancelled'])
  })

  test('does not write over a file, unless told so', async () => {
    const { desk, from } = await prepared()
    using _ = desk
    desk.write('mine.txt', 'mine')
    const { exit, stderr } = await desk.run(['export', 'mine.txt', '--store', from])
    assert.equal(exit, 2)
    assert.match(stderr, /mine\.txt is there already/)
    assert.equal(readFileSync(desk.path('mine.txt'), 'utf8'), 'mine')
    assert.equal((await desk.run(['export', 'mine.txt', '--force', '--store', from])).exit, 0)
  })

  const refused: readonly [string, readonly string[], number, RegExp][] = [
    ['to a folder', ['folder'], 2, /is a folder/],
    ['to a folder that is not there', ['no/file'], 2, /can't be written/],
    ['to a name that is none', [''], 2, /FILE is empty/],
    ['to stdout with --json', ['--json'], 2, /both go to stdout/],
    ['of a store that is missing', ['x', '--store', 'sqlite:no.db'], 4, /no\.db/],
  ]
  for (const [name, args, code, message] of refused)
    test(`${name} is exit ${code}, and leaves nothing behind`, async () => {
      const { desk, from } = await prepared()
      using _ = desk
      mkdirSync(desk.path('folder'))
      const files = readdirSync(desk.folder)
      const { exit, stdout, stderr } = await desk.run(['export', ...args], {
        env: { HOLDFAST_STORE: from },
      })
      assert.equal(exit, code)
      assert.match(stdout + stderr, message)
      assert.deepEqual(readdirSync(desk.folder), files)
    })
})

describe('holdfast import', () => {
  test('takes a file into a store that it makes', async () => {
    const { desk, to } = await prepared()
    using _ = desk
    const { exit, stdout, stderr } = await desk.run(['import', 'all.ndjson', '--store', to])
    assert.deepEqual({ exit, stderr }, { exit: 0, stderr: '' })
    assert.equal(stdout, 'Imported 3 of 3 documents (3 list).\n')
    assert.deepEqual(await textsIn(to), ['One', 'Two', 'Three'])
  })

  for (const args of [[], ['-']])
    test(`${args.join('')} takes stdin, by way of a file that is gone afterwards`, async () => {
      const { desk, to, file } = await prepared()
      using _ = desk
      const stdin = readFileSync(file)
      const { exit, stdout } = await desk.run(['import', ...args, '--json', '--store', to], {
        stdin,
      })
      const { kind, data } = JSON.parse(stdout)
      assert.deepEqual({ exit, kind }, { exit: 0, kind: 'import' })
      assert.deepEqual(data, {
        documents: 3,
        models: { list: 3 },
        written: 3,
        same: 0,
        kept: 0,
        left: [],
      })
    })

  test('a second time is refused with 6; with --merge it finds all there', async () => {
    const { desk, to } = await prepared()
    using _ = desk
    await desk.run(['import', 'all.ndjson', '--store', to])
    const again = await desk.run(['import', 'all.ndjson', '--store', to])
    assert.equal(again.exit, 6)
    assert.match(again.stderr, /has tasks of list already.*--merge/)
    const merged = await desk.run(['import', 'all.ndjson', '--store', to, '--merge'])
    assert.equal(merged.stdout, 'Imported 0 of 3 documents (3 list); 3 were there already.\n')
  })

  test('--merge names what it leaves alone', async () => {
    const { desk, from, to } = await prepared()
    using _ = desk
    await desk.run(['import', 'all.ndjson', '--store', to])
    await using store = await openStore(from)
    const list = new TaskList(store)
    const [one] = await list.query()
    await list.update(one!.id, { text: 'Other' })
    await desk.run(['export', 'new.ndjson', '--store', from])
    const { exit, stdout, stderr } = await desk.run([
      'import',
      'new.ndjson',
      '--merge',
      '--store',
      to,
    ])
    assert.equal(exit, 0)
    assert.match(
      stdout,
      /Imported 0 of 3 .*; 2 were there already; 1 were there otherwise, and were left alone\./,
    )
    assert.equal(stderr, `holdfast: warning: left alone: utask_tasks/${one!.id}\n`)
    assert.deepEqual(await textsIn(to), ['One', 'Two', 'Three'])
  })

  const bad: readonly [string, (file: string) => void, RegExp][] = [
    ['truncated', (file) => truncateSync(file, statSync(file).size - 20), /cut off in line 5/],
    ['empty', (file) => truncateSync(file, 0), /export is empty/],
  ]
  for (const [name, spoil, message] of bad)
    test(`of a file that is ${name} is exit 2, and makes no store`, async () => {
      const { desk, to, file } = await prepared()
      using _ = desk
      spoil(file)
      const { exit, stderr } = await desk.run(['import', 'all.ndjson', '--store', to])
      assert.equal(exit, 2)
      assert.match(stderr, message)
      assert.ok(!existsSync(desk.path('to.db')))
      const piped = await desk.run(['import', '--store', to], { stdin: readFileSync(file) })
      assert.equal(piped.exit, 2)
      assert.ok(!existsSync(desk.path('to.db')))
    })

  test('of a newer version is exit 2, and makes no store', async () => {
    const { desk, to, file } = await prepared()
    using _ = desk
    const text = readFileSync(file, 'utf8').replace('"version":1', '"version":9')
    const { exit, stderr } = await desk.run(['import', '--store', to], { stdin: text })
    assert.equal(exit, 2)
    assert.match(
      stderr,
      /has version 9; this Holdfast reads up to 1\. Import it with a newer Holdfast/,
    )
    assert.ok(!existsSync(desk.path('to.db')))
  })

  for (const [name, path] of [
    ['is not there', 'no.ndjson'],
    ['is a folder', '.'],
    ['has no name', ''],
  ] as const)
    test(`of a file that ${name} is exit 2`, async () => {
      using desk = new Desk()
      assert.equal((await desk.run(['import', path, '--store', 'sqlite:x.db'])).exit, 2)
      assert.deepEqual(readdirSync(desk.folder), [])
    })
})
