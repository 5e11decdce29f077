import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { test } from 'vitest'

const bytesMax = 20_000

test(`for a browser it needs nothing of Node, no other package, and less than ${bytesMax / 1000} kB`, async () => {
  const bundle = await rolldown({
    input: 'src/client/index.ts',
    platform: 'browser',
    external: /^(node:|[^./])/,
    // As the package says of itself.
    treeshake: { moduleSideEffects: 'no-external' },
  })
  const { output } = await bundle.generate({ minify: true })
  const [{ code, moduleIds }] = output
  assert.equal(output.length, 1)
  assert.doesNotMatch(code, /["'`]node:|\bBuffer\.|\bprocess\.env/)
  const foreign = moduleIds.filter((id) => /\/(collection|store|random|http)\//.test(id))
  assert.deepEqual(foreign, [])
  const bytes = gzipSync(code).length
  assert.ok(bytes < bytesMax, `${bytes} bytes`)
})
