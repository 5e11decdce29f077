// `npm run soak -- store|collection|list|plan|jobs|tree|queue|http`: what many writers, kills and faults do to one part, at a size that takes longer
// than `npm test` should. `npm run soak -- record` is all of it that kills or fails, within half an hour, with a table at the end.
// `npm` has made the checkout ready before, by scripts/setup.mjs.
import { record } from './record.mjs'
import { exitCodeOf, root } from './shell.mjs'

/** The tests that ask test/size.ts how much to do. */
const parts = {
  store: [
    'test/store/sqlite/kill.test.ts',
    'test/store/sqlite/processes.test.ts',
    'test/store/sqlite/crashes.test.ts',
    'test/store/sqlite/full-disk.test.ts',
    'test/store/sqlite/read-only.test.ts',
    'test/store/nats/faults.test.ts',
    'test/store/nats/unrest.test.ts',
    'test/store/nats/full-disk.test.ts',
    'test/store/nats/listing.test.ts',
    'test/store/s3/kill.test.ts',
    'test/store/s3/full-disk.test.ts',
    'test/store/s3/minio-faults.test.ts',
    'test/store/s3/ministack-faults.test.ts',
    'test/store/s3/purge.test.ts',
    'test/store/s3/names.test.ts',
  ],
  collection: ['test/collection/races.test.ts'],
  list: [
    'test/list/processes.test.ts',
    'test/list/kills.test.ts',
    'test/list/model.test.ts',
    'test/list/scale.test.ts',
  ],
  plan: ['test/plan/processes.test.ts', 'test/plan/kills.test.ts', 'test/cli/np/process.test.ts'],
  jobs: [
    'test/jobs/fire.test.ts',
    'test/jobs/kills.test.ts',
    'test/jobs/pauses.test.ts',
    'test/jobs/races.test.ts',
    'test/jobs/model.test.ts',
    'test/jobs/scale.test.ts',
  ],
  tree: [
    'test/tree/processes.test.ts',
    'test/tree/kills.test.ts',
    'test/tree/races.test.ts',
    'test/tree/model.test.ts',
    'test/tree/scale.test.ts',
    'test/tree/matchers/bombs.test.ts',
    'test/cli/coven/process.test.ts',
  ],
  queue: [
    'test/queue/fire.test.ts',
    'test/queue/kills.test.ts',
    'test/queue/pauses.test.ts',
    'test/queue/races.test.ts',
    'test/queue/backlog.test.ts',
    'test/queue/requests.test.ts',
    'test/queue/timed.test.ts',
    'test/cli/qo/idle.test.ts',
  ],
  http: ['test/http/fire.test.ts', 'test/http/serve.test.ts'],
}

const [part = ''] = process.argv.slice(2)
if (part === 'record') process.exitCode = await record()
else if (Object.hasOwn(parts, part)) {
  const args = [root('node_modules/vitest/vitest.mjs'), 'run', ...parts[part]]
  process.exitCode = await exitCodeOf(process.execPath, args, {
    env: { HOLDFAST_SOAK: '1', HOLDFAST_TEST_BUILT: '1' },
  })
} else {
  process.stderr.write(`Usage: npm run soak -- ${Object.keys(parts).join('|')}|record\n`)
  process.exitCode = 2
}
