// `npm run fuzz`: schemathesis makes at least 10,000 requests of the HTTP API, more than `npm test` takes the time for.
// `npm` has made the checkout ready before, by scripts/setup.mjs.
import { exitCodeOf, root } from './shell.mjs'

const args = [root('node_modules/vitest/vitest.mjs'), 'run', 'test/http/fuzz.test.ts']
process.exitCode = await exitCodeOf(process.execPath, args, { env: { HOLDFAST_FUZZ: '1' } })
