import { sharedMinio } from '../../servers/shared.ts'
import { s3Faults } from './faults.ts'
import { s3Bucket } from './ground.ts'

const bucket = s3Bucket(sharedMinio())
s3Faults('MinIO', { counting: bucket, settling: bucket }, 'PUT')
