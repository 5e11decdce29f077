import { describe, test } from 'vitest'
import { storeConformance } from '../../../src/store/conformance/index.ts'
import { sharedMinistack } from '../../servers/shared.ts'
import { s3Bucket, s3Ground } from './ground.ts'

// ministack honours a condition on DELETE, as AWS does.
const bucket = s3Bucket(sharedMinistack(), { probe: 'known' })
storeConformance({ describe, test }, 's3 (ministack)', () => s3Ground(bucket))
