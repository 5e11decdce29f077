import type { Command } from '../program/command.ts'
import { oneLine } from '../program/printable.ts'
import { withPlans } from './plans.ts'
import { workingDirectory } from './session.ts'

export const start: Command = {
  name: 's',
  aliases: ['start'],
  about: 'start a session in this directory',
  details: 'A directory has one active session. Commands in directories below it find it, too.',
  creates: true,
  async run(context) {
    const { out } = context
    const directory = workingDirectory(context)
    const { session, isNew } = await withPlans(context, (plans) => plans.start(directory))
    const already = `Session ${session.sid} is already active for this directory. There's already an active session for this directory; ask your operator whether they want to resume or archive it.`
    const started = [
      `Session ${session.sid} started in ${oneLine(session.dir_path)}`,
      '',
      'Next: np g s -t TITLE -d DESCRIPTION',
    ]
    // Whoever wants quiet must know all the same that this is somebody's session already.
    const data = { ...session, changed: isNew ? [session.sid] : [] }
    if (isNew) out.confirm({ kind: 'session', data, lines: started })
    else out.answer({ kind: 'session', data, lines: [already] })
    if (!isNew && out.isJson) out.note(already)
  },
}
