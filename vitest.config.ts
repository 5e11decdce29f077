import { defineConfig } from 'vitest/config'

/** What measures time or processor use, and so has the machine to itself. */
const timed = ['test/store/sqlite/processes.test.ts']

export default defineConfig({
  test: {
    globalSetup: ['test/servers/global-setup.ts'],
    // CommonJS packages are imported here just as Node imports them.
    deps: { interopDefault: false },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'timed', include: timed, maxWorkers: 1, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'other',
          include: ['test/**/*.test.ts'],
          exclude: timed,
          // More than cores, for many tests wait for a server that is meant to be silent.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
