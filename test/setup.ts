// Vitest runs this before each test file. Files share processes, since to load everything anew for each takes
// longer than most of them: what one puts into the environment, or in the place of something else, must go with it.
import { afterAll, vi } from 'vitest'

const before = { ...process.env }

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
})
