import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Child } from '../child.ts'
import { sized } from '../size.ts'

/** So many kilobytes hold some 9,000 arguments, and fewer calls. */
const stackKb = 80
const count = 11_000

const shapes = ['one level', ...sized([], ['chain', 'roots'])]

test(`nothing that is done to ${count} tasks needs a stack that grows with them`, async () => {
  const limit = [`--stack-size=${stackKb}`]
  await using child = new Child('small-stack', [String(count), ...shapes], limit)
  assert.deepEqual(await child.message<string[]>(), [])
}, 240_000)
