import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import type { Program } from '../../../src/cli/program/command.ts'
import { Progress, progressText } from '../../../src/cli/program/output.ts'
import { run, type Setting } from '../terminal.ts'

/** Counts to 4, and takes its time. */
const counter = (pauseMs: number): Program => ({
  name: 'counter',
  about: 'counts.',
  commands: [
    {
      name: 'count',
      about: 'count',
      async run(context) {
        using progress = await Progress.of(context, 'Counting')
        for (let count = 1; count <= 4; count++) {
          vi.advanceTimersByTime(pauseMs)
          progress.at(count, 4)
        }
      },
    },
  ],
})

const said = async (pauseMs: number, args: string[], setting: Setting): Promise<string> =>
  (await run(counter(pauseMs), ['count', ...args], setting)).stderr

describe('progress', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  test('is drawn in one line on a terminal, and wiped', async () => {
    const text = await said(200, [], { isTerminal: true })
    assert.ok(text.startsWith('\rCounting [============>           ] 2 of 4\x1b[K\r'), text)
    assert.ok(text.endsWith('\r\x1b[K'), text)
    assert.ok(!text.includes('\n'))
  })

  test('is not drawn for what is done soon, nor where nobody watches', async () => {
    assert.equal(await said(1, [], { isTerminal: true }), '')
    assert.equal(await said(200, [], {}), '')
    assert.equal(await said(200, ['--quiet'], { isTerminal: true }), '')
    assert.equal(await said(200, ['--json'], { isTerminal: true }), '')
  })

  test('draws a bar where the total is known, and only counts where it is not', () => {
    assert.equal(progressText(0, 4), '[>                       ] 0 of 4')
    assert.equal(progressText(4_000, 4_000), '[========================] 4,000 of 4,000')
    assert.equal(progressText(12_345, null), '12,345')
    assert.equal(progressText(7, 0), '7')
  })
})
