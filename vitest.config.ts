import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { builtInsteadOfSources, isBuilt } from './test/built.ts'
import { isSoak } from './test/size.ts'

/** What measures how fast the machine is: it has all of it to itself. */
const alone = ['test/queue/timed.test.ts']

/** What measures how soon something happens: two at once are enough for two cores. */
const inPairs = ['test/**/timed.test.ts']

/** What takes most of the processor. */
const busy = [
  'test/http/fuzz.test.ts',
  'test/package.test.ts',
  'test/docs/commands.test.ts',
  'test/tui/terminal.test.ts',
  'test/web/gallery.test.ts',
  'test/web/bucket-many.test.ts',
  'test/web/bucket.test.ts',
  'test/queue/fire.test.ts',
  'test/web/queue.test.ts',
  'test/web/others.test.ts',
  'test/web/scale.test.ts',
  'test/servers/servers.test.ts',
  'test/web/tree.test.ts',
  'test/http/fire.test.ts',
  'test/cli/coven/process.test.ts',
  'test/jobs/fire.test.ts',
  'test/tui/screen.test.ts',
  'test/http/routes.test.ts',
  'test/http/serve.test.ts',
  'test/store/s3/minio.test.ts',
  'test/tui/feed.test.ts',
  'test/http/holdfast/process.test.ts',
  'test/store/s3/ministack.test.ts',
  'test/tree/matchers/bombs.test.ts',
  'test/tree/races.test.ts',
  'test/plan/plans.test.ts',
  'test/http/holdfast/plans.test.ts',
  'test/tree/crashes.test.ts',
]

/** What waits most of its time, as for a server that is meant to be silent. Longest first. */
const waiting = [
  'test/queue/worker.test.ts',
  'test/store/nats/cluster.test.ts',
  'test/linearizability/nats.test.ts',
  'test/store/nats/unrest.test.ts',
  'test/queue/kills.test.ts',
  'test/queue/pauses.test.ts',
  'test/jobs/pauses.test.ts',
  'test/queue/monitor.test.ts',
  'test/cli/qo/everywhere.test.ts',
  'test/store/nats/conformance.test.ts',
  'test/web/bucket-trouble.test.ts',
  'test/queue/limit.test.ts',
  'test/cli/qo/idle.test.ts',
  'test/queue/requests.test.ts',
  'test/linearizability/s3.test.ts',
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
  'test/http/stalled.test.ts',
  'test/http/tls.test.ts',
  'test/http/throttle.test.ts',
]

/** So that two or three of six workers wait at any time, and all that is listed has begun well before the end. */
const [workEvery, pauseEvery] = [4, 8]

/** Among these all others: no core is to be idle in between because all wait, nor at the end because one goes on for long. */
class Mixed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = new Map(
      (await super.sort(files)).map((file) => [
        relative(this.ctx.config.root, file.moduleId),
        file,
      ]),
    )
    const take = (names: readonly string[]): TestSpecification[] =>
      names.flatMap((name) => {
        const file = sorted.get(name)
        sorted.delete(name)
        return file ?? []
      })
    const [work, pauses] = [take(busy), take(waiting)]
    return mixed(mixed([...sorted.values()], work, workEvery), pauses, pauseEvery)
  }
}

/** Puts one before every so many others. */
const mixed = <T>(others: readonly T[], ones: readonly T[], every: number): T[] => [
  ...others.flatMap((other, index) => [
    ...(index % every === 0 ? ones.slice(index / every, index / every + 1) : []),
    other,
  ]),
  ...ones.slice(Math.ceil(others.length / every)),
]

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
    // No bound on anything, but on how long a test that hangs keeps others waiting; a soak does more in one.
    testTimeout: isSoak ? 1_800_000 : 180_000,
    hookTimeout: 180_000,
    sequence: { sequencer: Mixed },
    // It would be how long each file took last time, by which all would be in another order then.
    cache: false,
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
