// abort-watch URL: aborts a watch that nobody reads any more. Must then end by itself.
import { openStore } from 'holdfast/store'

const [url] = process.argv.slice(2) as [string]
const store = await openStore(url)
const abort = new AbortController()
await store.watch('ns', abort.signal)[Symbol.asyncIterator]().next()
abort.abort()
process.disconnect()
