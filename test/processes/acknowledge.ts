// acknowledge URL NAME: commits three keys at a time for ever, several commits at once, and tells of each
// as soon as it is acknowledged. Made to be killed. The pipe keeps what was written before the end.
import { writeSync } from 'node:fs'
import { create, openStore, update } from 'holdfast/store'

const [url, name] = process.argv.slice(2) as [string, string]
const store = await openStore(url)
const encode = (number: number) => new TextEncoder().encode(String(number))
const inFlight = 8
let next = 0

const commitForEver = async (lane: number) => {
  let head = { key: `kill/${name}/last/${lane}`, revision: '' }
  for (;;) {
    const id = next++
    const value = encode(id)
    const result = await store.commit([
      head.revision === '' ? create(head.key, value) : update(head, value),
      create(`kill/${name}/document/${id}`, value),
      create(`kill/${name}/index/${lane}/${id}`, value),
    ])
    if (!result.ok) throw new Error('a conflict, though nobody else writes these keys')
    head = { key: head.key, revision: result.revisions[0] as string }
    writeSync(1, `${lane} ${id}\n`)
  }
}
await Promise.all(Array.from({ length: inFlight }, (_, lane) => commitForEver(lane)))
