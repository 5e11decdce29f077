// create-slowly URL: opens a store that is not there yet. Made to be killed while it does.
import { openStore } from 'holdfast/store'

const [url] = process.argv.slice(2) as [string]
process.send?.('opening')
const store = await openStore(url)
process.send?.('open')
await store.get('ns/a')
setInterval(() => {}, 1000)
