// open-close URL: opens the store, reads a little, closes it, over and over, until it is killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from 'holdfast/store'

const [url] = process.argv.slice(2) as [string]
for (let rounds = 1; ; rounds++) {
  const store = await openStore(url)
  for await (const _ of store.list('kill', { limit: 3 })) break
  await store[Symbol.asyncDispose]()
  if (rounds % 10 === 0) process.send?.(rounds)
  await sleep(5)
}
