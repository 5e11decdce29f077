// Fetches what only tests need into the user's cache, once: never into the checkout.
import { say } from '../shell.mjs'
import { minioTool } from './minio.mjs'
import { ministackTool } from './ministack.mjs'
import { natsTool } from './nats.mjs'
import { nodeTool } from './node.mjs'
import { checkPython } from './python.mjs'
import { schemathesisTool } from './schemathesis.mjs'
import { chromiumTool, shownTools } from './system.mjs'

export { fetchInspector } from './inspector.mjs'
export { otherNodes } from './node.mjs'
export { inspector, newerNode } from './paths.mjs'

const tools = [
  nodeTool,
  natsTool,
  ministackTool,
  minioTool,
  schemathesisTool,
  chromiumTool,
  ...shownTools,
]

export async function fetchTestTools() {
  const missing = tools.filter((tool) => !tool.isThere())
  if (missing.length === 0) return
  // Before anything starts: nobody should wait minutes to hear of it.
  if (missing.some((tool) => tool.needsPython())) checkPython()
  say('Fetching what the tests need into the cache, all at the same time.')
  // One that fails leaves the others to finish, so that they need not be fetched again.
  const results = await Promise.allSettled(missing.map((tool) => tool.fetch()))
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (reasons.length > 0) throw new Error(reasons.map((reason) => reason.message).join('\n\n'))
}
