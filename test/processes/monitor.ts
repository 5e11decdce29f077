// monitor URL [SID]: the monitor on this terminal, of a session or of all.
import { Plans } from 'holdfast/plan'
import { openStore } from 'holdfast/store'
import { monitor } from '#dist/tui/index.js'

const [url, sid] = process.argv.slice(2) as [string, string | undefined]
const store = await openStore(url)
const { stdin, stdout } = process
const onWarning = (warning: string) => console.error(warning)
const plans = new Plans(store, { onWarning })
await monitor({ plans, sid: sid ?? null, directory: process.cwd(), stdin, stdout })
await store[Symbol.asyncDispose]()
