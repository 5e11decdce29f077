import { afterAll, beforeAll, describe, test } from 'vitest'
import { storeConformance } from '../../../src/store/conformance/index.ts'
import { startNats } from '../../servers/nats.ts'
import { natsGround } from './ground.ts'

let server: Awaited<ReturnType<typeof startNats>>
beforeAll(async () => {
  server = await startNats({ oneProcessor: true })
})
afterAll(() => server[Symbol.asyncDispose]())

storeConformance({ describe, test }, 'nats', () => natsGround(server.url))
storeConformance({ describe, test }, 'nats without atomic batches', () =>
  natsGround(server.url, '?atomic=false'),
)
