import { kinds } from '../../collection/index.ts'
import { oneLine } from '../../terminal/index.ts'
import type { Command } from '../program/command.ts'
import { withModel } from '../program/model.ts'
import { maxOf, pageExclusive, pageOptions } from '../program/option-value.ts'
import {
  checkSessionArgument,
  directoryOrNull,
  planModel,
  sessionArgument,
  withSession,
  workingDirectory,
} from './plans.ts'
import { sessionRows } from './text.ts'

export const start: Command = {
  name: 's',
  aliases: ['start'],
  about: 'start a session in this directory',
  details: 'A directory has one active session. Commands in directories below it find it, too.',
  creates: true,
  async run(context) {
    const { out } = context
    const directory = workingDirectory(context)
    const { session, isNew } = await withModel(context, planModel, (plans) =>
      plans.start(directory),
    )
    const already = `Session ${session.sid} is already active for this directory. There's already an active session for this directory; ask your operator whether they want to resume or archive it.`
    const started = [
      `Session ${session.sid} started in ${oneLine(session.dir_path)}`,
      '',
      'Next: np g s -t TITLE -d DESCRIPTION',
    ]
    // Also with --quiet: this may be another agent's session.
    const data = { ...session, changed: isNew ? [session.sid] : [] }
    if (isNew) out.confirm({ kind: 'session', data, lines: started })
    else out.answer({ kind: 'session', data, lines: [already] })
    if (!isNew && out.isJson) out.note(already)
  },
}

export const archive: Command = {
  name: 'a',
  aliases: ['archive'],
  about: 'archive a session: it can still be read, not changed',
  arguments: [sessionArgument],
  async run(context) {
    const { out } = context
    checkSessionArgument(context)
    const { session, changed } = await withSession(context, (plans, sid) => plans.archive(sid))
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

export const list: Command = {
  name: 'l',
  aliases: ['list'],
  about: 'list sessions: active ones, then archived ones, newest first',
  details: 'Each with its id, state, last change, directory and goal.',
  options: pageOptions(),
  exclusive: pageExclusive,
  async run(context) {
    const { out } = context
    const max = maxOf(context)
    const { sessions, total } = await withModel(context, planModel, (plans) => plans.list(max))
    out.answer({
      kind: 'session.list',
      data: sessions.map(({ session, goal }) => ({ ...session, goal })),
      total,
      lines: await sessionRows(sessions, await out.columns()),
    })
    if (total === 0 && !out.isJson) out.note("No sessions. Start one with 'np s'.")
  },
}

export const monitor: Command = {
  name: 'm',
  aliases: ['monitor'],
  about: 'watch a session as it changes, in a terminal',
  details: 'Without a session here it lets you pick one. q quits.',
  arguments: [sessionArgument],
  async run(context) {
    const { args, out, io } = context
    checkSessionArgument(context)
    if (out.isJson || !(await io.stdout.isTerminal()) || !(await io.isInputTerminal()))
      throw context.usageError('The monitor needs a terminal.', 'Use "np p" or "np e" instead.')
    const directory = directoryOrNull(context)
    await withModel(context, planModel, async (plans) => {
      const [given] = args.words
      const here = given === undefined && directory !== null ? plans.find(directory) : null
      const session = given === undefined ? await here : await plans.session(given)
      const { monitor } = await import('../../tui/index.ts')
      const { stdin, stdout } = process
      await monitor({
        plans,
        sid: session?.sid ?? null,
        directory: directory ?? '/',
        stdin,
        stdout,
      })
    })
  },
}

/** How much of what can't be mended is named. */
const namedMax = 20

export const repair: Command = {
  name: 'repair',
  about: 'bring all documents and indexes to what the logs say',
  details: "What can't be mended is named, left as it is, and makes the exit code 1.",
  async run(context) {
    const { out } = context
    const report = await withModel(context, planModel, (plans) => plans.repair())
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
    if (left.length > 0) context.exitCode = kinds.internal.exit
  },
}
