import { test } from 'vitest'
import { openStore } from '../../../src/store/index.ts'
import { startNats } from '../../servers/nats.ts'
import { sized } from '../../size.ts'
import { fillDisks } from '../full-disk.ts'

const megabyte = 2 ** 20
const disks = sized(1, 6, 4)

test(`the disk of a NATS server is full, ${disks} times: what was acknowledged is there and whole`, async () => {
  await fillDisks({
    store: 'NATS',
    sizes: Array.from({ length: disks }, (_, at) => (38 + 7 * at) * megabyte),
    // The server applies a batch write by write, and stops where the disk is full.
    mayBeHalf: true,
    start: async (disk) => {
      const server = await startNats({ oneProcessor: true, disk })
      return {
        open: () => openStore(server.url),
        restart: () => server.restart(),
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      }
    },
  })
})
