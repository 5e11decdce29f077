import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What measures time, and so has the machine to itself. */
const alone = ['test/**/timed.test.ts']

/** What takes longest comes first, so that no core is idle at the end. Longest first. */
const long = [
  'test/docs/commands.test.ts',
  'test/http/fuzz.test.ts',
  'test/queue/worker.test.ts',
  'test/queue/monitor.test.ts',
  'test/cli/qo/doctor.test.ts',
  'test/cli/qo/everywhere.test.ts',
  'test/queue/requests.test.ts',
  'test/store/nats/cluster.test.ts',
  'test/cli/qo/idle.test.ts',
  'test/http/holdfast/sharing.test.ts',
  'test/tui/terminal.test.ts',
  'test/queue/fire.test.ts',
  'test/jobs/fire.test.ts',
  'test/http/fire.test.ts',
  'test/tree/concurrency.test.ts',
  'test/queue/races.test.ts',
  'test/store/nats/conformance.test.ts',
  'test/store/s3/purge.test.ts',
  'test/store/s3/ministack-faults.test.ts',
  'test/store/s3/ministack.test.ts',
  'test/store/s3/kill.test.ts',
  'test/store/nats/bad-input.test.ts',
  'test/store/nats/faults.test.ts',
  'test/web/queue.test.ts',
  'test/cli/qo/worker.test.ts',
  'test/cli/qo/exec.test.ts',
  'test/package.test.ts',
  'test/store/sqlite/kill.test.ts',
  'test/plan/processes.test.ts',
  'test/plan/plans.test.ts',
  'test/store/wrappers.test.ts',
  'test/http/events.test.ts',
  'test/web/bucket-many.test.ts',
  'test/store/sqlite/crashes.test.ts',
  'test/servers/servers.test.ts',
  'test/store/nats/listing.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const index = long.indexOf(relative(this.ctx.config.root, moduleId))
      return index === -1 ? long.length : index
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

export default defineConfig({
  test: {
    globalSetup: ['test/servers/global-setup.ts'],
    setupFiles: ['test/environment.ts', 'test/orphan.ts'],
    // CommonJS packages are imported here just as Node imports them.
    deps: { interopDefault: false },
    // No bound on anything, but on how long a test that hangs keeps others waiting.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: alone,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'other',
          // What a worker has loaded once, it has: to load it again for each file took a tenth of the whole run.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: alone,
          // More than cores, for many tests wait for a server that is meant to be silent.
          maxWorkers: 6,
          sequence: { groupOrder: 0 },
        },
      },
    ],
  },
})
