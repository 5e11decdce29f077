import { describe, test } from 'vitest'
import { storeConformance } from '../../src/store/conformance/index.ts'
import { limited } from '../../src/store/index.ts'
import { memoryGround } from './ground.ts'

storeConformance({ describe, test }, 'memory', () => memoryGround())
storeConformance({ describe, test }, 'limited(memory, 1)', () =>
  memoryGround((store) => limited(store, 1)),
)
