// increment URL COUNT KEYS: increments shared keys in turn, then says how many times it did.
import { mutate, openStore } from 'holdfast/store'

const [url, count, keys] = process.argv.slice(2) as [string, string, string]
const store = await openStore(url)
const number = (value: Uint8Array | undefined) =>
  Number(new TextDecoder().decode(value ?? undefined))
const plusOne = (value: Uint8Array | undefined) =>
  new TextEncoder().encode(String(number(value) + 1))

for (let step = 0; step < Number(count); step++)
  await mutate(store, `sum/${step % Number(keys)}`, (entry) => plusOne(entry?.value), {
    attemptsMax: 10_000,
  })
await store[Symbol.asyncDispose]()
process.send?.(Number(count))
process.disconnect()
