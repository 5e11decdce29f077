// `npm run soak -- jobs|queue`: the fire tests of a model at a size that takes longer than `npm test` should. `npm` has made
// the checkout ready before, by scripts/setup.mjs.
import { exitCodeOf, root } from './shell.mjs'

const models = ['jobs', 'queue']
const [model = ''] = process.argv.slice(2)
if (models.includes(model)) {
  const args = [root('node_modules/vitest/vitest.mjs'), 'run', `test/${model}/fire.test.ts`]
  process.exitCode = await exitCodeOf(process.execPath, args, { env: { HOLDFAST_SOAK: '1' } })
} else {
  process.stderr.write(`Usage: npm run soak -- ${models.join('|')}\n`)
  process.exitCode = 2
}
