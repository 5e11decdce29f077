// fill PATH BALLAST: commits to a store on a small disk until it is full, frees the space that the file
// BALLAST takes, commits again, and prints what happened as JSON.
import { rmSync } from 'node:fs'
import { create, openStore, StoreError } from 'holdfast/store'

const [path, ballast] = process.argv.slice(2) as [string, string]
const store = await openStore(`sqlite:${path}`)
const value = new Uint8Array(50_000).fill(1)
const acknowledged: string[] = []

const commit = (name: string) =>
  store
    .commit([create(`fill/${name}/a`, value), create(`fill/${name}/b`, value)])
    .then(({ ok }) => (ok ? acknowledged.push(name) : 0))

let failure: unknown
for (let id = 0; failure === undefined && id < 1000; id++)
  await commit(String(id)).catch((error: unknown) => {
    failure = error
  })

const kept = async () => {
  const names: string[] = []
  for await (const { key } of store.list('fill')) names.push(key)
  return names
}
const keptWhenFull = await kept()
rmSync(ballast)
await commit('later')
const report = {
  code: failure instanceof StoreError ? failure.code : String(failure),
  reason: failure instanceof StoreError ? failure.reason : '',
  acknowledged,
  keptWhenFull,
  keptLater: await kept(),
}
await store[Symbol.asyncDispose]()
console.log(JSON.stringify(report))
