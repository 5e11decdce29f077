import { sharedMinio } from '../../servers/shared.ts'
import { s3Faults } from './faults.ts'

s3Faults('MinIO', sharedMinio, 'PUT')
