import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'vitest'
import { runBulk } from '../../../src/cli/coven/task/bulk.ts'
import { coven } from '../../../src/cli/coven.ts'
import type { Program } from '../../../src/cli/program/command.ts'
import { openStore, type Store, StoreError, type Write } from '../../../src/store/index.ts'
import { run } from '../terminal.ts'
import { cleanUp, type Desk, memoryDesk } from './desk.ts'

cleanUp()

let desk: Desk
beforeEach(() => {
  desk = memoryDesk()
})

/** A store that goes away after so many commits. */
async function failing(url: string, commits: number): Promise<Store> {
  const store = await openStore(url)
  let left = commits
  return new Proxy(store, {
    get(target, name) {
      if (name === 'commit')
        return async (writes: readonly Write[]) => {
          if (left-- <= 0) throw new StoreError('down', 'The store is gone.', 'Try again.')
          return target.commit(writes)
        }
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Sets priorities on a store that goes away. */
const breaking = (url: string, commits: number): Program => ({
  ...coven,
  commands: [
    {
      name: 'bulk',
      about: 'set priorities',
      arguments: [{ name: 'ID', about: 'tasks', isMany: true }],
      async run(context) {
        context.openStore = () => failing(url, commits)
        await runBulk(context, context.args.words, {
          request: { action: 'set_priority', priority: 0 },
          line: (id) => `Set task ${id}`,
        })
      },
    },
  ],
})

describe('a store that goes away in the middle of many changes', () => {
  test('what was done is told, then what went wrong', async () => {
    const [a, b, c] = [await desk.create('a'), await desk.create('b'), await desk.create('c')]
    const program = breaking(desk.url as string, 1)
    const { exit, stdout, stderr } = await run(program, ['bulk', a.id, b.id, c.id])
    assert.deepEqual([exit, stdout], [7, `Set task ${a.id}\n`])
    assert.match(stderr, /^Error: The store is gone\. Try again\.\n$/)
    await desk.coven('task', 'update', a.id, '--priority', '1')
    const json = await run(program, ['bulk', a.id, b.id, '--json'])
    const { kind, data, errors } = JSON.parse(json.stdout)
    assert.deepEqual(
      [json.exit, kind, data, errors[0].code],
      [7, 'result.list', [{ id: a.id, success: true }], 'unavailable'],
    )
  })

  test('where nothing was done, only what went wrong', async () => {
    const { id } = await desk.create('a')
    const { exit, stdout } = await run(breaking(desk.url as string, 0), ['bulk', id])
    assert.deepEqual([exit, stdout], [7, ''])
  })
})
