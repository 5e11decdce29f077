import { describe, test } from 'vitest'
import { storeConformance } from '../../../src/store/conformance/index.ts'
import { sqliteGround } from '../ground.ts'

storeConformance({ describe, test }, 'sqlite', sqliteGround)
