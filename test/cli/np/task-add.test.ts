import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'vitest'
import { hashOf } from '../../../src/plan/directory.ts'
import { cleanUp, type Desk, lastLine, memoryDesk } from './desk.ts'

cleanUp()
let desk: Desk
beforeEach(async () => {
  desk = memoryDesk()
  await desk.begin()
})

const add = (...args: string[]) => desk.plan('t', 'a', ...args)

describe('np t a', () => {
  test('adds a task, prints the plan and the next step', async () => {
    const text = await desk.np('t', 'a', '-t', 'Write tests', '-d', 'all\nof them')
    const [task] = (await desk.plan('p')).tasks
    assert.match(
      text,
      new RegExp(`\n☐ ${task?.id} {2}Write tests\n {4}all\n {4}of them\n\nNext: np t u `),
    )
    assert.equal(lastLine(text), `Next: np t u -i ${task?.id} -s in_progress`)
  })

  test('pairs keep their order, in one transaction', async () => {
    const { tasks } = await add('-t', 'B', '-d', 'b', '-t', 'A', '-d', 'a', '-t', 'C', '-d', '')
    assert.deepEqual(
      tasks.map(({ title, description, created_seq }) => [title, description, created_seq]),
      [
        ['B', 'b', 2],
        ['A', 'a', 3],
        ['C', '', 4],
      ],
    )
    const events = (await desk.events()).slice(1)
    assert.deepEqual(new Set(events.map(({ at }) => at)).size, 1)
    assert.ok(events.every(({ type, reason }) => type === 'task_added' && reason === null))
  })

  test('titles without any description have empty ones', async () => {
    const { tasks } = await add('-t', 'A', '-t', 'B')
    assert.deepEqual(
      tasks.map(({ description }) => description),
      ['', ''],
    )
  })

  test('the id is the first 6 digits of the hash of the normalized words and the session', async () => {
    const { tasks, session } = await add('-t', ' Write TESTS ', '-d', 'Caf\u0065\u0301')
    assert.equal(tasks[0]?.id, hashOf(`write tests|café|${session.sid}`).slice(0, 6))
  })

  test('the same words again change nothing, and say so', async () => {
    const id = (await add('-t', 'A', '-d', 'a')).tasks[0]?.id
    const { exit, stderr } = await desk.run(['t', 'a', '-t', 'a', '-d', 'A'])
    assert.deepEqual(
      [exit, stderr],
      [0, `np: Nothing changed: task ${id} is already there (pending).\n`],
    )
    const batch = await desk.run(['t', 'a', '-t', 'A', '-d', 'a', '-t', 'B', '-d', 'b'])
    assert.equal(batch.stderr, `np: Already there: 1 of 2 tasks: ${id} (pending).\n`)
    assert.equal((await desk.plan('p')).tasks.length, 2)
  })

  test('the original words of an edited task are still that task', async () => {
    const { tasks } = await add('-t', 'A')
    await desk.np('t', 'u', '-i', tasks[0]!.id, '-t', 'Z', '-r', 'why')
    assert.match((await desk.run(['t', 'a', '-t', 'A'])).stderr, /already there/)
  })

  test('stdin and files are descriptions in their place', async () => {
    writeFileSync(join(desk.directory, 'b.md'), 'from a file\n')
    const args = ['t', 'a', '-t', 'A', '-d', '-', '-t', 'B', '--file', 'b.md', '-t', 'C', '-d', 'c']
    await desk.run(args, { stdin: 'from stdin\n' })
    assert.deepEqual(
      (await desk.plan('p')).tasks.map(({ description }) => description),
      ['from stdin', 'from a file', 'c'],
    )
  })

  test('takes 300 at once, and no more', async () => {
    const titles = Array.from({ length: 301 }, (_, at) => ['-t', `T${at}`]).flat()
    const { exit, message } = await desk.refusal('t', 'a', ...titles)
    assert.deepEqual([exit, message], [2, "301 tasks can't be added at once; the limit is 300."])
    const { exit: done } = await desk.run(['t', 'a', ...titles.slice(2), '--quiet'])
    assert.equal(done, 0)
    assert.equal((await desk.events()).length, 301)
  })

  test('the command in the log leaves out the store and other global options, and is bounded', async () => {
    const secret = 'nats://me:hunter2@127.0.0.1:1'
    await desk.run(['--store', desk.url, 't', '--quiet', 'a', '--title=A', '-tB', '--all'], {
      env: { HOLDFAST_STORE: secret },
    })
    await add('-t', 'Long', '-d', 'x'.repeat(20_000))
    const commands = (await desk.events()).slice(1).map(({ cmd }) => cmd)
    assert.deepEqual(commands.slice(0, 2), Array(2).fill('np t a --title A -t B'))
    assert.match(commands[2]!, /^np t a -t Long -d x+…$/)
    assert.equal(commands[2]?.length, 1_000)
    assert.ok(!(await desk.contents()).some((entry) => entry.includes('hunter2')))
  })

  test('--quiet adds and says nothing', async () => {
    assert.equal(await desk.np('t', 'a', '-t', 'A', '--quiet'), '')
    assert.equal((await desk.plan('p')).tasks.length, 1)
  })

  test('from a directory below changes the session above', async () => {
    await desk.in('a/b').np('t', 'a', '-t', 'A')
    assert.equal((await desk.plan('p')).tasks.length, 1)
  })
})
