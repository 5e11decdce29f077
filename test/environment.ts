// Vitest loads this before each file of tests. A worker runs many of them: what one has set in the environment, the next
// must not find.
import { atStart } from './environment-at-start.ts'

for (const name of Object.keys(process.env)) if (!(name in atStart)) delete process.env[name]
Object.assign(process.env, atStart)
