import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { codecSource } from './codec-source.ts'

const path = 'src/queue/task-codec.ts'

test('the codec of tasks is what follows from their fields', async () => {
  const biome = ['biome', 'format', '--stdin-file-path', path]
  const formatted = execFileSync('npx', biome, { input: codecSource(), encoding: 'utf8' })
  await expect(formatted).toMatchFileSnapshot(`../../${path}`)
})
