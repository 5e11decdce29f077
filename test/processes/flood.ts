// flood URL NAME MS: commits as fast as it can for a time, then says how many commits went through.
import { create, openStore } from 'holdfast/store'

const [url, name, ms] = process.argv.slice(2) as [string, string, string]
const store = await openStore(url)
const value = new Uint8Array(300)
const inFlight = 64
let count = 0

process.send?.('ready')
process.once('message', async () => {
  const end = performance.now() + Number(ms)
  let next = 0
  const worker = async () => {
    while (performance.now() < end) {
      const { ok } = await store.commit([create(`flood/${name}/${next++}`, value)])
      if (ok) count++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  await store[Symbol.asyncDispose]()
  process.send?.(count)
  process.disconnect()
})
