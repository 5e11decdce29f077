import { defineConfig } from 'vitest/config'
import { builtInsteadOfSources, isBuilt } from './test/built.ts'
import { ByTimes } from './test/order.ts'
import { isSoak } from './test/size.ts'

/** What measures how fast the machine is: it has all of it to itself. */
const alone = ['test/queue/timed.test.ts']

/** What measures how soon something happens: two at once are enough for two cores. */
const inPairs = ['test/**/timed.test.ts']

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
    sequence: { sequencer: ByTimes },
    // Its times would count failed files first; ours are in test/order.ts.
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
          // Before the others, so that it ends after them.
          setupFiles: ['test/times.ts'],
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
