// watch URL PREFIX: keeps a picture of what is below the prefix by watching alone. Says "watching" once it
// does, a line { key, value, at } for every change, and the whole picture whenever it is asked.
import { openStore } from 'holdfast/store'

const [url, prefix] = process.argv.slice(2) as [string, string]
const store = await openStore(url)
const picture = new Map<string, string>()
const text = (value: Uint8Array) => new TextDecoder().decode(value)

const readAll = async () => {
  picture.clear()
  for await (const { key, value } of store.scan(prefix)) picture.set(key, text(value))
}

const readOne = async (key: string) => {
  const entry = await store.get(key)
  if (entry) picture.set(key, text(entry.value))
  else picture.delete(key)
  process.send?.({ key, value: picture.get(key) ?? null, at: Date.now() })
}

process.on('message', async (request: 'picture' | 'cpu') => {
  if (request === 'picture') process.send?.(Object.fromEntries(picture))
  else process.send?.(process.cpuUsage())
})

let isFirst = true
for await (const event of store.watch(prefix)) {
  if (event.type === 'key') await readOne(event.key)
  else await readAll()
  if (isFirst) process.send?.('watching')
  isFirst = false
}
