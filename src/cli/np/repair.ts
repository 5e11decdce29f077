import type { Command } from '../program/command.ts'
import { exitCodes } from '../program/exit-code.ts'
import { withPlans } from './plans.ts'

/** How much of what can't be mended is named. */
const namedMax = 20

export const repair: Command = {
  name: 'repair',
  about: 'bring all documents and indexes to what the logs say',
  details: "What can't be mended is named, left as it is, and makes the exit code 1.",
  async run(context) {
    const { out } = context
    const report = await withPlans(context, (plans) => plans.repair())
    const { sessions, events, mended, left } = report
    const counts = [
      `${sessions} ${sessions === 1 ? 'session' : 'sessions'}`,
      `${events} ${events === 1 ? 'event' : 'events'}`,
      `${mended} mended`,
      `${left.length} left`,
    ]
    out.confirm({
      kind: 'repair',
      data: { sessions, events, mended, left },
      lines: [`Repaired: ${counts.join(', ')}.`],
    })
    for (const what of left.slice(0, namedMax)) out.warn(what)
    if (left.length > namedMax) out.warn(`${namedMax} of ${left.length} are named.`)
    if (left.length > 0) context.exitCode = exitCodes.failed
  },
}
