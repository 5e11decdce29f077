import type { RecordedStore } from '../record.ts'
import { startNats } from '../servers/nats.ts'
import { startMinio } from '../servers/s3.ts'
import type { Server } from '../servers/server.ts'
import { sharedMinio } from '../servers/shared.ts'
import { isSoak } from '../size.ts'
import { temporaryFolder } from '../store/ground.ts'
import { patiently, s3Bucket } from '../store/s3/ground.ts'

/** Where the data of a test with processes is; the server, where that can be killed. */
export interface Place {
  readonly url: string
  readonly server?: Server
}

/** Every real store, each new for whoever asks. In `npm test` one MinIO serves all, and is not killed. */
const places: readonly [RecordedStore, (body: (place: Place) => Promise<void>) => Promise<void>][] =
  [
    [
      'SQLite',
      async (body) => {
        await using folder = await temporaryFolder()
        await body({ url: `sqlite:${folder.path('store.db')}` })
      },
    ],
    [
      'NATS',
      async (body) => {
        await using server = await startNats({ oneProcessor: true })
        await body({ url: server.url, server })
      },
    ],
    [
      'MinIO',
      async (body) => {
        await using server = isSoak ? await startMinio() : undefined
        const { url } = await s3Bucket(server ? Promise.resolve(server.account) : sharedMinio())
        await body({ url: url('kills', { more: patiently }), ...(server ? { server } : {}) })
      },
    ],
  ]

/** In `npm test` only some of them. */
export const placesOf = (...quick: readonly RecordedStore[]): typeof places =>
  places.filter(([store]) => isSoak || quick.includes(store))
