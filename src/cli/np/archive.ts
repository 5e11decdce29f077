import type { Command } from '../program/command.ts'
import { oneLine } from '../program/printable.ts'
import { withPlans } from './plans.ts'
import { checkSessionArgument, sessionArgument, sessionOf } from './session.ts'

export const archive: Command = {
  name: 'a',
  aliases: ['archive'],
  about: 'archive a session: it can still be read, not changed',
  arguments: [sessionArgument],
  async run(context) {
    const { out } = context
    checkSessionArgument(context)
    const { session, changed } = await withPlans(context, async (plans) => {
      const { sid } = await sessionOf(context, plans)
      return plans.archive(sid)
    })
    const { sid, dir_path } = session
    const name = `session ${sid} of ${oneLine(dir_path)}`
    const already = `${name.replace('s', 'S')} is already archived.`
    out.confirm({
      kind: 'session',
      data: { ...session, changed: changed ? [sid] : [] },
      lines: [changed ? `Archived ${name}.` : already],
    })
    if (!changed && out.isJson) out.note(already)
  },
}
