import assert from 'node:assert/strict'
import { beforeAll, describe, test } from 'vitest'
import { create } from '../../../src/store/index.ts'
import { cleanUp, memoryDesk } from './desk.ts'

cleanUp()

const longType = 'a_very_long_type_of_which_nobody_wants_to_read_all_in_a_terminal'
const desk = memoryDesk()
let failed = ''

beforeAll(async () => {
  failed = (await desk.ended('failed', 'bad')).id
  await desk.ended('completed', 'good')
  await desk.submit('-t', longType, '--delay', '1h')
  await desk.submit('-t', 'größer 漢字')
  const worker = { worker_id: 'w'.repeat(100), last_heartbeat: new Date().toISOString() }
  await desk.withStore((store) =>
    store.commit([
      create(`qo/workers/${worker.worker_id}.json`, Buffer.from(JSON.stringify(worker))),
    ]),
  )
})

/** Wide characters take two columns. */
const widthOf = (line: string) => line.length + (line.match(/\p{Script=Han}/gu)?.length ?? 0)

describe('tables on a terminal', () => {
  for (const columns of [80, 40])
    for (const name of ['list', 'history', 'stats', 'workers'])
      test(`qo ${name} fits into ${columns} columns`, async () => {
        const args = name === 'history' ? [name, failed] : [name]
        const { exit, stdout } = await desk.run(args, { isTerminal: true, columns })
        assert.equal(exit, 0)
        const rows = stdout.split('\n').filter((line) => !line.startsWith('No active worker'))
        for (const line of rows) assert.ok(widthOf(line) <= columns, line)
      })

  test('of a long name the beginning is shown, and what stands behind it', async () => {
    const wide = await desk.run(['stats'], { isTerminal: true, columns: 80 })
    assert.match(wide.stdout, /^a_very_long_type_of_w… {8}1 {8}0 {10}0 {7}0 {9}0 {10}0$/m)
    const narrow = await desk.run(['stats'], { isTerminal: true, columns: 40 })
    assert.match(narrow.stdout, /^a_very_long_type_of… {2}1 pending$/m)
    assert.match(narrow.stdout, /^all {19}2 pending, 1 comp…$/m)
    const workers = await desk.run(['workers'], { isTerminal: true, columns: 80 })
    assert.match(workers.stdout, /^w{17}… {2}active {2}.* {2}heard of \d\d:\d\d:\d\dZ/)
  })
})
