import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'vitest'
import { cleanUp, type Desk, lastLine, memoryDesk } from './desk.ts'

cleanUp()
let desk: Desk
beforeEach(async () => {
  desk = memoryDesk()
  await desk.start()
})

describe('np g', () => {
  test('without a goal is exit 3, with the message of the seed', async () => {
    const { exit, code, message, next } = await desk.refusal('g')
    assert.deepEqual([exit, code, next], [3, 'not_found', null])
    assert.equal(message, "No goal set yet. Use 'np g s' to set it first.")
  })

  test('shows title and description', async () => {
    await desk.np('g', 's', '-t', 'Ship', '-d', 'first\n\n\tsecond')
    assert.equal(await desk.np('g'), 'Goal: Ship\n  first\n\n  \tsecond\n')
    const { kind, data } = await desk.json('g')
    assert.deepEqual([kind, Object.keys(data)], ['goal', ['title', 'description', 'updated_at']])
  })
})

describe('np g s', () => {
  test('sets the goal, prints the plan and the next step', async () => {
    const text = await desk.np('g', 's', '-t', ' Ship ', '-d', ' v1 ')
    assert.match(text, /^Session .*\nGoal: Ship\n {2}v1\n\nNo tasks yet\.\n/)
    assert.equal(lastLine(text), 'Next: np t a -t TITLE -d DESCRIPTION')
  })

  test('a description may be left out', async () => {
    assert.equal((await desk.plan('g', 's', '-t', 'Ship')).goal?.description, '')
  })

  test('writes goal_set, without a reason, with the command', async () => {
    await desk.np('g', 's', '-t', 'Ship it', '-d', "don't\nstop", '--json')
    const [event] = await desk.events()
    assert.deepEqual([event?.seq, event?.type, event?.reason], [1, 'goal_set', null])
    assert.equal(event?.cmd, "np g s -t 'Ship it' -d 'don'\\''t\nstop'")
    const { goal } = await desk.plan('p')
    assert.deepEqual(event?.payload, { goal })
  })

  test('is exit 5 the second time, even with the same words', async () => {
    await desk.np('g', 's', '-t', 'Ship')
    for (const title of ['Ship', 'Sail']) {
      const { exit, code, message } = await desk.refusal('g', 's', '-t', title)
      assert.deepEqual([exit, code], [5, 'conflict'])
      assert.equal(
        message,
        "Goal already set. Use 'np g u' to update it (requires -r/--reason flag).",
      )
    }
    assert.equal((await desk.plan('p')).goal?.title, 'Ship')
  })

  test('reads the title or the description from stdin, and drops its last newline', async () => {
    const { exit } = await desk.run(['g', 's', '-t', 'Ship', '-d', '-'], {
      stdin: 'from `stdin` ☕\nand on\n',
    })
    assert.equal(exit, 0)
    assert.equal((await desk.plan('p')).goal?.description, 'from `stdin` ☕\nand on')
    const other = memoryDesk()
    await other.start()
    await other.run(['g', 's', '-t', '-'], { stdin: 'Ship\n' })
    assert.equal((await other.plan('p')).goal?.title, 'Ship')
  })

  test('reads the description from a file', async () => {
    writeFileSync(join(desk.directory, 'goal.md'), 'long\ntext\n')
    await desk.np('g', 's', '-t', 'Ship', '--file', 'goal.md')
    assert.equal((await desk.plan('p')).goal?.description, 'long\ntext')
    const [event] = await desk.events()
    assert.equal(event?.cmd, 'np g s -t Ship --file goal.md')
  })
})

describe('np g u', () => {
  test('without a goal is exit 6, with the message of the seed', async () => {
    const { exit, code, message } = await desk.refusal('g', 'u', '-t', 'Sail', '-r', 'why')
    assert.deepEqual([exit, code], [6, 'refused'])
    assert.equal(message, "No goal set yet. Use 'np g s' to set it first.")
  })

  test('without a reason is exit 6, and the message names the flag', async () => {
    await desk.np('g', 's', '-t', 'Ship')
    const { exit, code, next } = await desk.refusal('g', 'u', '-t', 'Sail')
    assert.deepEqual([exit, code], [6, 'refused'])
    assert.match(next, /-r\/--reason/)
    assert.equal((await desk.plan('p')).goal?.title, 'Ship')
  })

  test('changes title or description, and writes goal_updated with the reason', async () => {
    await desk.np('g', 's', '-t', 'Ship', '-d', 'v1')
    const { goal: before } = await desk.plan('p')
    const { goal } = await desk.plan('g', 'u', '-d', 'v2', '--reason', 'scope')
    assert.deepEqual([goal?.title, goal?.description], ['Ship', 'v2'])
    const event = (await desk.events())[1]
    assert.deepEqual([event?.type, event?.reason], ['goal_updated', 'scope'])
    assert.equal(event?.cmd, 'np g u -d v2 --reason scope')
    assert.deepEqual(event?.payload, { goal_before: before, goal_after: goal })
  })

  test('says so where nothing changes', async () => {
    await desk.np('g', 's', '-t', 'Ship')
    const { exit, stderr } = await desk.run(['g', 'u', '-t', 'Ship', '-r', 'why'])
    assert.deepEqual([exit, stderr], [0, 'np: Nothing changed: the goal is already so.\n'])
    assert.equal((await desk.events()).length, 1)
  })
})
