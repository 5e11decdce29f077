import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/servers/global-setup.ts'],
    // CommonJS packages are imported here just as Node imports them.
    deps: { interopDefault: false },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests start processes and measure time; more at once than cores would measure the others.
    maxWorkers: 2,
  },
})
