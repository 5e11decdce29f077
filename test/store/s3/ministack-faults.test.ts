import { sharedMinistack } from '../../servers/shared.ts'
import { s3Faults } from './faults.ts'

s3Faults('ministack', sharedMinistack, 'DELETE')
