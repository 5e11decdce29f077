import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { builtInsteadOfSources, isBuilt } from './test/built.ts'

/** What measures how fast the machine is: it has all of it to itself. */
const alone = ['test/queue/timed.test.ts']

/** What measures how soon something happens: two at once are enough for two cores. */
const inPairs = ['test/**/timed.test.ts']

/** What takes longest of the processor comes first, so that no core is idle at the end. Longest first. */
const busy = [
  'test/tui/terminal.test.ts',
  'test/http/fuzz.test.ts',
  'test/package.test.ts',
  'test/web/gallery.test.ts',
  'test/docs/commands.test.ts',
  'test/web/others.test.ts',
  'test/web/bucket.test.ts',
  'test/web/queue.test.ts',
  'test/web/tree.test.ts',
  'test/http/fire.test.ts',
  'test/queue/fire.test.ts',
  'test/jobs/fire.test.ts',
  'test/servers/servers.test.ts',
  'test/web/scale.test.ts',
  'test/web/bucket-many.test.ts',
  'test/store/s3/ministack.test.ts',
  'test/store/s3/minio.test.ts',
  'test/http/routes.test.ts',
  'test/tree/crashes.test.ts',
  'test/tree/races.test.ts',
]

/** What waits most of its time, as for a server that is meant to be silent. Longest first. */
const waiting = [
  'test/queue/worker.test.ts',
  'test/store/nats/cluster.test.ts',
  'test/queue/monitor.test.ts',
  'test/cli/qo/everywhere.test.ts',
  'test/store/nats/conformance.test.ts',
  'test/web/bucket-trouble.test.ts',
  'test/queue/limit.test.ts',
  'test/cli/qo/idle.test.ts',
  'test/queue/requests.test.ts',
  'test/store/nats/bad-input.test.ts',
  'test/store/nats/faults.test.ts',
  'test/cli/qo/doctor.test.ts',
  'test/cli/qo/worker.test.ts',
  'test/cli/qo/exec.test.ts',
  'test/tui/away.test.ts',
  'test/queue/attempts.test.ts',
  'test/store/wrappers.test.ts',
  'test/queue/exec/command-handler.test.ts',
  'test/store/nats/listing.test.ts',
  'test/store/s3/troubles.test.ts',
  'test/store/nats/settling.test.ts',
  'test/store/sqlite/idle.test.ts',
]

/** So that two or three of the workers wait at any time: more would leave a core idle, fewer would be for all others to wait for at the end. */
const waitingEvery = 7

class Mixed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeIn = (list: readonly string[], { moduleId }: TestSpecification): number => {
      const index = list.indexOf(relative(this.ctx.config.root, moduleId))
      return index === -1 ? list.length : index
    }
    const isWaiting = (file: TestSpecification) => placeIn(waiting, file) < waiting.length
    const inOrderOf = (list: readonly string[]) => (a: TestSpecification, b: TestSpecification) =>
      placeIn(list, a) - placeIn(list, b)
    const sorted = await super.sort(files)
    const pauses = sorted.filter(isWaiting).sort(inOrderOf(waiting))
    const rest = sorted.filter((file) => !isWaiting(file)).sort(inOrderOf(busy))
    const mixed = rest.flatMap((file, index) =>
      index % waitingEvery === 0 ? [...pauses.splice(0, index === 0 ? 2 : 1), file] : [file],
    )
    return [...mixed, ...pauses]
  }
}

export default defineConfig({
  plugins: [builtInsteadOfSources],
  test: {
    globalSetup: ['test/servers/global-setup.ts'],
    // What a worker has loaded once, it has: to load it again for each file took a tenth of the whole run.
    isolate: false,
    server: { deps: { external: [isBuilt] } },
    setupFiles: ['test/environment.ts', 'test/orphan.ts'],
    // CommonJS packages are imported here just as Node imports them.
    deps: { interopDefault: false },
    // No bound on anything, but on how long a test that hangs keeps others waiting.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    sequence: { sequencer: Mixed },
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: alone,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'in pairs',
          include: inPairs,
          exclude: alone,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'other',
          include: ['test/**/*.test.ts'],
          exclude: inPairs,
          // Garbage is collected by who makes it: helpers only take turns with the other workers here.
          execArgv: ['--single-threaded-gc'],
          // More than cores, for many tests wait for a server that is meant to be silent.
          maxWorkers: 6,
          sequence: { groupOrder: 0 },
        },
      },
    ],
  },
})
