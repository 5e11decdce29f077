import type { PlanEvent, StoredEvent } from '../../plan/internal.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { eventLines } from './event-text.ts'
import { listExclusive, listMax, listOptions, maxOf } from './options.ts'
import { withPlans } from './plans.ts'
import { checkSessionArgument, sessionArgument, sessionOf } from './session.ts'

export const events: Command = {
  name: 'e',
  aliases: ['events'],
  about: 'show the log: what happened, when and why, the newest last',
  arguments: [sessionArgument],
  options: listOptions,
  exclusive: listExclusive,
  async run(context) {
    const { out } = context
    checkSessionArgument(context)
    const max = maxOf(context, listMax)
    const { found, total } = await withPlans(context, async (plans) => {
      const { sid } = await sessionOf(context, plans)
      const { events, total } = await plans.events(sid, Number.isFinite(max) ? max : undefined)
      const found = readable(context, sid, events)
      // What can't be read was named; it is not what a cut list leaves out.
      return { found, total: total - (events.length - found.length) }
    })
    out.answer({
      kind: 'event.list',
      data: found,
      total,
      lines: found.flatMap((event) => eventLines(event)),
    })
    if (total === 0 && !out.isJson) out.note('No events yet.')
  },
}

/** The plan of the session that the command line names, and its log, or the newest so many events of that. */
export async function planAndLog(context: Context, limit?: number) {
  checkSessionArgument(context)
  return withPlans(context, async (plans) => {
    const { sid } = await sessionOf(context, plans)
    const plan = await plans.plan(sid)
    const { events, total } = await plans.events(sid, limit)
    return { plan, log: { events: readable(context, sid, events), total } }
  })
}

/** How many events that can't be read are named one by one. */
const namedMax = 20

/** The events that can be read; the others are named. */
function readable(
  { out }: Context,
  sid: string,
  stored: readonly StoredEvent<PlanEvent>[],
): PlanEvent[] {
  const broken = stored.filter(({ event }) => event === null)
  for (const { seq, problem } of broken.slice(0, namedMax))
    out.warn(`Event ${seq} of session ${sid} can't be read (${problem}).`)
  if (broken.length > namedMax) out.warn(`${broken.length - namedMax} more events can't be read.`)
  return stored.flatMap(({ event }) => event ?? [])
}
