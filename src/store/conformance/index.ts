import type { Store } from '../store.ts'
import { atomicityCases } from './atomicity.ts'
import type { Case, Ground } from './case.ts'
import { inputCases } from './input.ts'
import { iterationCases } from './iteration.ts'
import { lifecycleCases } from './lifecycle.ts'
import { lostAnswerCases } from './lost-answer.ts'
import { malformedCases } from './malformed.ts'
import { orderCases } from './order.ts'
import { raceCases } from './races.ts'
import { revisionCases } from './revisions.ts'
import { valueCases } from './values.ts'
import { watchCases } from './watching.ts'

export type { Ground } from './case.ts'

/** The two functions of a test runner that the suite needs; Vitest, node:test and Mocha have them. */
export interface Runner {
  /** Groups tests under a name. */
  describe(name: string, body: () => void): void
  /** Adds one test. */
  test(name: string, body: () => Promise<void>): void
}

/** Makes ground for one test: empty data that nothing else uses. */
export type PrepareGround = () => Promise<Ground>

const sections: Readonly<Record<string, readonly Case[]>> = {
  revisions: revisionCases,
  values: valueCases,
  order: orderCases,
  iteration: iterationCases,
  'bad input': inputCases,
  'malformed writes': malformedCases,
  atomicity: atomicityCases,
  'lost answers': lostAnswerCases,
  races: raceCases,
  watching: watchCases,
  'life cycle': lifecycleCases,
}

/**
 * What every store must do, as tests. A driver that passes them can carry all of Holdfast.
 *
 * ```ts
 * import { describe, test } from 'vitest'
 * import { storeConformance } from 'holdfast/store/conformance'
 *
 * storeConformance({ describe, test }, 'my store', async () => { … })
 * ```
 *
 * docs/drivers.md has a whole driver, and its test.
 */
export function storeConformance(runner: Runner, name: string, prepare: PrepareGround): void {
  runner.describe(`${name} keeps the store contract`, () => {
    for (const [section, cases] of Object.entries(sections))
      runner.describe(section, () => {
        for (const { name, run } of cases)
          runner.test(name, async () => {
            await using ground = await prepare()
            await using store: Store = await ground.open()
            await run(store, ground)
          })
      })
  })
}
