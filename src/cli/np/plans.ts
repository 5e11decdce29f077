import { existsSync } from 'node:fs'
import {
  canonicalPath,
  checkSessionPrefix,
  NoSessionError,
  Plans,
  type Session,
} from '../../plan/internal.ts'
import type { Argument } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { type Model, withModel } from '../program/model.ts'
import { sessionRow, shortPath } from './text.ts'

export const planModel: Model<Plans> = {
  make: (store, onWarning) => new Plans(store, { onWarning }),
  candidateLines(plans, sids) {
    const rowOf = async (sid: string) =>
      sessionRow({ session: await plans.session(sid), goal: await plans.goal(sid) })
    return Promise.all(sids.map((sid) => rowOf(sid).catch(() => sid)))
  },
}

export const sessionArgument: Argument = {
  name: 'SID',
  about: 'a session by its id or the start of it; else the one of this directory',
  isOptional: true,
}

/** Refuses what is no id of any session, before the store is opened. */
export function checkSessionArgument({ args }: Context): void {
  const [given] = args.words
  if (given !== undefined) checkSessionPrefix(given)
}

/** Opens the plans, for what is done with the session that the command line names, or the one that is active here. */
export const withSession = <T>(
  context: Context,
  use: (plans: Plans, sid: string) => Promise<T>,
): Promise<T> =>
  withModel(context, planModel, async (plans) => {
    const [given] = context.args.words
    const { sid } = await (given === undefined ? sessionHere(context, plans) : plans.session(given))
    return use(plans, sid)
  })

/** The session that is active in the working directory, or in the nearest one above it. */
async function sessionHere(context: Context, plans: Plans): Promise<Session> {
  const directory = directoryOrNull(context)
  if (directory === null) throw directoryGone(await goneHint(plans))
  const session = await plans.find(directory)
  if (session) return session
  const hints = await Promise.all([archivedHint(plans, directory), goneHint(plans)])
  throw new NoSessionError(
    `No session is active in ${shortPath(directory)} or above it.`,
    ["Start one with 'np s'.", ...hints.flat()].join(' '),
  )
}

/** Where we are, as sessions know it. */
export function workingDirectory(context: Context): string {
  const directory = directoryOrNull(context)
  if (directory === null) throw directoryGone([])
  return directory
}

/** Null where it was deleted under our feet. */
export function directoryOrNull({ io }: Context): string | null {
  try {
    return canonicalPath(io.cwd())
  } catch {
    return null
  }
}

function directoryGone(hints: readonly string[]): Error {
  const next = ["Change to one that is there; 'np l' lists all sessions.", ...hints].join(' ')
  return new NoSessionError('The working directory is gone.', next)
}

async function archivedHint(plans: Plans, directory: string): Promise<string[]> {
  const sid = await plans.lastArchived(directory)
  return sid === null ? [] : [`The last one here is archived; read it with 'np p ${sid}'.`]
}

/** How many sessions are looked at in search of those whose directory is gone, and how many are named. */
const lookedAtMax = 50
const namedMax = 3

/** A session belongs to a path. After a directory was moved, this hint names the old one. */
async function goneHint(plans: Plans): Promise<string[]> {
  const { sessions } = await plans.list(lookedAtMax)
  const gone = sessions
    .map(({ session }) => session)
    .filter(({ state, dir_path }) => state === 'active' && !existsSync(dir_path))
  if (gone.length === 0) return []
  const named = gone
    .slice(0, namedMax)
    .map(({ sid, dir_path }) => `${sid} (${shortPath(dir_path)})`)
  const more = gone.length > namedMax ? `, and ${gone.length - namedMax} more` : ''
  return [
    `If it was moved: the directories of these active sessions are gone: ${named.join(', ')}${more}; read one with 'np r SID'.`,
  ]
}
