import assert from 'node:assert/strict'
import { beforeAll, describe, test } from 'vitest'
import { idOf, plant } from '../../tree/planted.ts'
import { cleanUp, type Desk, memoryDesk } from './desk.ts'

cleanUp()

/** Deeper than any stack. */
const levels = 12_000

describe(`a chain of ${levels} levels`, () => {
  let desk: Desk
  beforeAll(async () => {
    desk = memoryDesk()
    await desk.withStore((store) =>
      plant(store, levels, (n) => ({ parent: n === 0 ? null : n - 1 })),
    )
  })

  test('is drawn whole: each line ends with its task, and shows the innermost levels', async () => {
    const lines = await desk.lines('task', 'subtree', idOf(0), '--all')
    assert.equal(lines.length, levels)
    assert.match(lines[1] as string, /^└── /)
    const last = lines.at(-1) as string
    assert.match(
      last,
      new RegExp(`^…   +└── ${idOf(levels - 1)}  P2  open  task  task ${levels - 1}$`),
    )
    assert.ok(last.length < 300)
  })

  test('is a list of the same tasks with --flat', async () => {
    assert.equal((await desk.lines('task', 'subtree', idOf(0), '--all', '--flat')).length, levels)
  })

  test('is JSON, however deep', async () => {
    const text = await desk.out('task', 'subtree', idOf(0), '--all', '--json')
    let count = 0
    type Node = { children: Node[]; relative_depth: number }
    for (let node: Node | undefined = JSON.parse(text).data; node; node = node.children[0]) {
      assert.equal(node.relative_depth, count)
      count++
    }
    assert.equal(count, levels)
  })

  test('is cut at the limit, and says so', async () => {
    const { stdout, stderr } = await desk.run(['task', 'subtree', idOf(0), '--limit', '3'])
    assert.equal(stderr, `3 of ${levels}\n`)
    const lines = stdout.trimEnd().split('\n')
    assert.match(lines.at(-1) as string, /^ {8}└── … 1 more$/)
  })

  test('is deleted with all below it', async () => {
    const line = await desk.coven('task', 'delete', idOf(1), '--yes')
    assert.equal(line, `Deleted task ${idOf(1)} (and ${levels - 2} children)\n`)
  })
})
