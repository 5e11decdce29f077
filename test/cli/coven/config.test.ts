import assert from 'node:assert/strict'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'vitest'
import { workspaceOf } from '../../../src/cli/coven/workspace.ts'
import { coven } from '../../../src/cli/coven.ts'
import type { Program } from '../../../src/cli/program/command.ts'
import { run } from '../terminal.ts'
import { cleanUp, Desk, memoryDesk, newDirectory } from './desk.ts'

cleanUp()

let desk: Desk
beforeEach(() => {
  desk = new Desk(null, newDirectory())
})

/** Tells what it finds of the workspace. */
const which: Program = {
  ...coven,
  commands: [
    {
      name: 'config',
      about: 'show the configuration',
      async run(context) {
        const { folder, config } = await workspaceOf(context)
        context.out.answer({ kind: 'config', data: { folder, config }, lines: [] })
      },
    },
  ],
}

describe('.coven/config.yaml', () => {
  const configWith = async (text: string | null) => {
    if (text !== null) desk.place('.coven/config.yaml', text)
    const { exit, stdout, stderr } = await run(which, ['config', '--json'], { cwd: desk.directory })
    return { exit, stderr, ...JSON.parse(stdout) }
  }
  const usual = { claimTimeoutMs: 1_800_000, retentionDays: 30, softDeleteDays: 7 }

  const good: readonly [string | null, object][] = [
    [null, {}],
    ['', {}],
    ['# nothing\n', {}],
    ['claim_timeout: 30m\n', {}],
    ['claim_timeout: 500ms\n', { claimTimeoutMs: 500 }],
    ['claim_timeout: 1.5h\n', { claimTimeoutMs: 5_400_000 }],
    ['claim_timeout: 1h30m\n', { claimTimeoutMs: 5_400_000 }],
    ['claim_timeout: 90\n', { claimTimeoutMs: 90_000 }],
    ['claim_timeout: "2d"\n', { claimTimeoutMs: 172_800_000 }],
    ['task_store:\n', {}],
    ['task_store:\n  retention_days: 0\n', { retentionDays: 0 }],
    [
      'task_store: { retention_days: 1, soft_delete_days: 0 }',
      { retentionDays: 1, softDeleteDays: 0 },
    ],
  ]
  for (const [text, expected] of good)
    test(`${JSON.stringify(text)} is fine`, async () => {
      const { exit, data, stderr } = await configWith(text)
      assert.deepEqual([exit, stderr], [0, ''])
      assert.deepEqual(data.config, { ...usual, ...expected })
      assert.equal(data.folder, join(desk.directory, '.coven'))
    })

  const bad: readonly [string, RegExp][] = [
    ['claim_timeout: soon\n', /line 1: claim_timeout must be a duration: 500ms/],
    ['\nclaim_timeout: 0\n', /line 2: claim_timeout must/],
    ['claim_timeout: -5m\n', /line 1: claim_timeout must/],
    ['claim_timeout: [1]\n', /line 1: claim_timeout must/],
    ['claim_timeout:\n', /line 1: claim_timeout must/],
    ['claim_timeout: 999999999d\n', /line 1: claim_timeout must/],
    ['task_store: 7\n', /line 1: task_store must be a map/],
    ['task_store:\n  retention_days: -1\n', /line 2: retention_days must be a whole number/],
    ['task_store:\n  retention_days: "30"\n', /line 2: retention_days must/],
    ['task_store:\n\n  soft_delete_days: 1.5\n', /line 3: soft_delete_days must/],
    ['a: b: c\n', /line 1: /],
    ['- list\n', /line 1: it holds no keys/],
    ['claim_timeout: 1m\nclaim_timeout: 2m\n', /line 2: /],
    [`a: ${'['.repeat(20_000)}`, /line 1: /],
  ]
  for (const [text, message] of bad)
    test(`${JSON.stringify(text.slice(0, 40))} is 2, with file and line`, async () => {
      const { exit, error } = await configWith(text)
      assert.deepEqual([exit, error.code], [2, 'invalid'])
      assert.ok(error.message.startsWith(`${desk.directory}/.coven/config.yaml, line `))
      assert.match(error.message, message)
    })

  test('a file that is too long is 2', async () => {
    const { exit, error } = await configWith(`a: ${'x'.repeat(70_000)}`)
    assert.equal(exit, 2)
    assert.match(error.message, /\.coven\/config\.yaml can't be read: it has more than 65536 bytes/)
  })

  test('there is none where there is no workspace, and the store is another one', async () => {
    const args = ['config', '--json', '--store', 'memory:x']
    const { stdout } = await run(which, args, { cwd: desk.directory })
    assert.deepEqual(JSON.parse(stdout).data, { folder: null, config: usual })
  })

  test('every unknown key is warned of, and what it may have meant', async () => {
    const lines = [
      'claim_timout: 5m',
      'taskstore:',
      'task_store:',
      '  retention_day: 3',
      '  colour: red',
      'server:',
      '  port: 1',
      'poll_interval: 5s',
      '7: seven',
      '[a, b]: c',
      '"": empty',
      'constructor: x',
    ]
    const { exit, stderr, data } = await configWith(`${lines.join('\n')}\n`)
    assert.deepEqual([exit, data.config], [0, usual])
    const warned = (line: number, key: string, hint = 'Keys: claim_timeout, task_store.') =>
      `coven: warning: ${desk.directory}/.coven/config.yaml, line ${line}: unknown key "${key}". ${hint}`
    const below = 'Keys: task_store.retention_days, task_store.soft_delete_days.'
    assert.deepEqual(stderr.split('\n'), [
      warned(1, 'claim_timout', 'Did you mean claim_timeout?'),
      warned(2, 'taskstore', 'Did you mean task_store?'),
      warned(4, 'task_store.retention_day', 'Did you mean task_store.retention_days?'),
      warned(5, 'task_store.colour', below),
      warned(6, 'server'),
      warned(8, 'poll_interval'),
      warned(9, '7'),
      warned(10, '?'),
      warned(11, ''),
      warned(12, 'constructor'),
      '',
    ])
  })

  test('is used with a store in memory, where nobody has data, and by maintain', async () => {
    const other = memoryDesk()
    const { id } = await other.claimed()
    other.place('.coven/config.yaml', 'claim_timeout: soon\n')
    assert.equal((await other.refusal('maintain')).exit, 2)
    other.place('.coven/config.yaml', 'claim_timeout: 1ms\n')
    await other.create('x')
    assert.equal((await other.lines('maintain'))[0], `Released task ${id}`)
  })
})
