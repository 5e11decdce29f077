import { sharedMinistack } from '../../servers/shared.ts'
import { s3Faults } from './faults.ts'
import { s3Bucket } from './ground.ts'

const settling = s3Bucket(sharedMinistack(), { probe: 'known' })
// Without versions, for ministack walks through all of them at each write; on MinIO they are counted with.
const counting = s3Bucket(sharedMinistack(), { versioned: false })
s3Faults('ministack', { counting, settling }, 'DELETE')
