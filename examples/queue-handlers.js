// Handlers for `qo worker --handlers examples/queue-handlers.js`: a function for each type of tasks.
//
//   qo submit -t greet -i '{"name": "Ada"}'
//   qo submit -t fetch_page -i '{"url": "https://example.com"}' --timeout 10s
//   qo submit -t count_down -i '{"from": 3}'
import { setTimeout as sleep } from 'node:timers/promises'
import { PermanentError } from 'holdfast/queue'

/** What it returns is the output. An input that can never work is given up at once. */
export function greet({ name }) {
  if (typeof name !== 'string') throw new PermanentError('There is no name to greet.')
  return { greeting: `Hello, ${name}!` }
}

/** What it throws is tried again later. The signal ends it at its timeout, and when it is cancelled. */
export async function fetch_page({ url }, { signal }) {
  const response = await fetch(url, { signal })
  if (response.status >= 500) throw new Error(`The server answered ${response.status}.`)
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength }
}

/** Says how far it is, for who looks at the workers. */
export async function count_down({ from }, { attempt, progress, signal }) {
  for (let left = from; left > 0; left--) {
    progress(1 - left / from)
    await sleep(1_000, undefined, { signal })
  }
  return { attempt }
}
