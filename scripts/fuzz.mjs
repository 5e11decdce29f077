// `npm run fuzz`: schemathesis makes at least 10,000 requests of the HTTP API, and callers of every role make 100,000, more than
// `npm test` takes the time for.
// `npm` has made the checkout ready before, by scripts/setup.mjs.
import { exitCodeOf, root } from './shell.mjs'

const files = ['test/http/fuzz.test.ts', 'test/http/named/fuzz.test.ts']
const args = [root('node_modules/vitest/vitest.mjs'), 'run', ...files]
process.exitCode = await exitCodeOf(process.execPath, args, { env: { HOLDFAST_FUZZ: '1' } })
