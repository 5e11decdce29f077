import { test } from 'vitest'
import { startMinio } from '../../servers/s3.ts'
import { sized } from '../../size.ts'
import { fillDisks } from '../full-disk.ts'
import { s3Bucket } from './ground.ts'

const megabyte = 2 ** 20
const disks = sized(1, 6, 4)

test(`the disk of a MinIO server is full, ${disks} times: what was acknowledged is there`, async () => {
  await fillDisks({
    store: 'MinIO',
    sizes: Array.from({ length: disks }, (_, at) => (32 + 7 * at) * megabyte),
    start: async (disk) => {
      const server = await startMinio({ oneProcessor: true, disk })
      const { open } = await s3Bucket(Promise.resolve(server.account))
      return {
        open: () => open('full'),
        restart: () => server.restart(),
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      }
    },
  })
})
