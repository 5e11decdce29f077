import { describe, test } from 'vitest'
import { storeConformance } from '../../../src/store/conformance/index.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { s3Bucket, s3Ground } from './ground.ts'

// MinIO deletes whatever the condition says: removal writes tombstones.
const bucket = s3Bucket(sharedMinio(), { probe: 'known' })
storeConformance({ describe, test }, 's3 (MinIO)', () => s3Ground(bucket))
