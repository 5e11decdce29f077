import type { Lifetime, Role, Token, Tokens } from '../../access/index.ts'
import { oneLine } from '../../terminal/index.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { columnWidth, measureFor, padTo } from '../program/display-width.ts'
import { type Model, withModel } from '../program/model.ts'
import { durationForms, parseDuration } from '../program/option-value.ts'
import { noteWorkspaceStore } from '../program/store-choice.ts'

const tokenModel: Model<Tokens> = {
  async open(context) {
    const store = await context.openStore()
    await noteWorkspaceStore(context)
    return store
  },
  async make(store) {
    const { Tokens } = await import('../../access/index.ts')
    return new Tokens(store)
  },
}

/** When a token stops working, in words. */
const expiryWords = ({ expires, expired }: Pick<Token, 'expires' | 'expired'>): string =>
  expires === null ? 'never expires' : `${expired ? 'expired' : 'expires'} ${expires}`

const nameArgument = { name: 'NAME', about: 'the name of a token' }

const add: Command = {
  name: 'add',
  about: 'add a token, and print it once',
  details:
    'The store keeps only its hash. "read" looks; "work" also makes every change except those of "admin": deletions of tasks and jobs, forced release, retention, tokens. The name is the agent: requests act as NAME or NAME/SUFFIX, and as nobody else. To replace a token, revoke it, and add it again under its name.',
  arguments: [{ ...nameArgument, about: 'whose token it is, as history will show it' }],
  options: {
    role: {
      value: 'ROLE',
      about: 'what it allows; must be given',
      choices: ['read', 'work', 'admin'],
    },
    expires: {
      value: 'TIME',
      about: 'when it stops working: 90d, or RFC 3339 (default never)',
    },
  },
  examples: [
    'holdfast token add ci --role work --expires 90d',
    'holdfast token add grafana --role read',
  ],
  creates: true,
  async run(context) {
    const { args, out } = context
    const [name = ''] = args.words
    const role = args.value('role') as Role | undefined
    if (role === undefined)
      throw context.usageError('--role is missing.', 'Give --role read, work or admin.')
    const lifetime = lifetimeOf(context)
    const { checkName } = await import('../../access/index.ts')
    checkName(name)
    const { secret, token } = await withModel(context, tokenModel, (tokens) =>
      tokens.add(name, role, lifetime),
    )
    out.answer({ kind: 'token', data: { ...token, token: secret }, lines: [secret] })
    if (out.isJson) return
    out.note(`This is the only time that the token of ${oneLine(name)} is shown.`)
    out.note('Send it with every request: Authorization: Bearer TOKEN')
  },
}

const expiryForm = /^(\d{4}-\d\d-\d\d)[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/** How long a token is to work: a duration, or a time. What has passed is refused here, before there is a store. */
function lifetimeOf(context: Context): Lifetime {
  const text = context.args.value('expires')
  if (text === undefined) return null
  const forMs = parseDuration(text)
  if (forMs !== null) {
    if (forMs > 0) return { forMs }
    throw context.usageError('--expires is no time at all.', 'Give a longer one, such as 90d.')
  }
  const untilMs = parseTime(text)
  if (untilMs === null)
    throw context.usageError(
      `--expires takes no "${text.slice(0, 40)}".`,
      `Give a duration (${durationForms}), or RFC 3339, as 2027-01-31T08:00:00Z.`,
    )
  if (untilMs > Date.now()) return { untilMs }
  throw context.usageError('--expires is in the past.', 'Give a later time.')
}

/** Milliseconds since the epoch; null for what is no RFC 3339. */
function parseTime(text: string): number | null {
  const [, day, sign, hours = '0', minutes = '0'] = expiryForm.exec(text) ?? []
  const ms = Date.parse(text)
  if (day === undefined || Number.isNaN(ms)) return null
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
  // The engine takes the 30th of February for the 2nd of March.
  const local = new Date(ms + offsetMs)
  return !Number.isNaN(local.getTime()) && local.toISOString().startsWith(day) ? ms : null
}

const list: Command = {
  name: 'list',
  about: 'list the tokens: names, roles and times',
  details: 'Neither tokens nor their hashes are shown.',
  examples: ['holdfast token list'],
  async run(context) {
    const { out } = context
    const { tokens, closed } = await withModel(context, tokenModel, (all) => all.list())
    const next =
      closed && tokens.length === 0
        ? 'Requests still need a token. Add one with "holdfast token add", or let everybody in again with "holdfast token open".'
        : undefined
    out.answer({
      kind: 'token.list',
      data: tokens,
      ...(next === undefined ? {} : { next }),
      lines: await tokenRows(tokens),
    })
    if (tokens.length > 0 || out.isJson) return
    out.note(next ?? 'No tokens. Add one: holdfast token add NAME --role work')
  },
}

async function tokenRows(tokens: readonly Token[]): Promise<string[]> {
  const names = tokens.map(({ name }) => oneLine(name))
  const measure = await measureFor(names)
  const width = columnWidth(names.map(measure))
  return tokens.map((token, at) =>
    [
      padTo(width, names[at] as string, measure),
      token.role.padEnd('admin'.length),
      `created ${token.created}`,
      expiryWords(token),
    ].join('  '),
  )
}

const revoke: Command = {
  name: 'revoke',
  about: 'take a token away, or all of them',
  details:
    'Servers refuse it within a second, and end its open streams within two. After the last one requests still need a token, until "holdfast token open". --all also replaces a register of tokens that is damaged.',
  arguments: [{ ...nameArgument, isOptional: true }],
  options: { all: { about: 'revoke every token' } },
  examples: ['holdfast token revoke ci', 'holdfast token revoke --all'],
  async run(context) {
    const { args, out } = context
    const [name] = args.words
    const isAll = args.has('all')
    if (isAll === (name !== undefined))
      throw context.usageError(
        isAll ? 'NAME and --all exclude each other.' : 'NAME is missing.',
        'Give the name of a token, or --all.',
      )
    if (name === undefined) return revokeAll(context)
    const { token, left } = await withModel(context, tokenModel, (tokens) => tokens.revoke(name))
    out.confirm({ kind: 'token', data: token, lines: [`Revoked ${oneLine(token.name)}.`] })
    if (left === 0)
      out.note('That was the last token. Requests still need one, until "holdfast token open".')
  },
}

async function revokeAll(context: Context): Promise<void> {
  const { out } = context
  const { changed } = await withModel(context, tokenModel, (tokens) => tokens.revokeAll())
  out.confirm({
    kind: 'token.list',
    data: [],
    ...(changed ? {} : { changed: false as const }),
    lines: [changed ? 'Revoked all tokens.' : 'No tokens.'],
  })
  if (changed) out.note('Requests still need a token, until "holdfast token open".')
}

const open: Command = {
  name: 'open',
  about: 'let requests without a token in again, once all tokens are revoked',
  details:
    'Then every user of this machine has full access to servers that listen on it without a token of their own. Expired tokens are removed.',
  examples: ['holdfast token open'],
  async run(context) {
    const { out } = context
    const { changed } = await withModel(context, tokenModel, (tokens) => tokens.open())
    out.confirm({
      kind: 'access',
      data: { closed: false },
      ...(changed ? {} : { changed: false as const }),
      lines: [changed ? 'Requests need no token any more.' : 'Requests need no token already.'],
    })
  },
}

export const token: Command = {
  name: 'token',
  about: 'add, list and revoke the named tokens that servers of a store accept',
  details:
    'From the first token on, every request to a server of the store needs one. Changes count on all servers within a second. They say who may use a server: whoever can open the store itself needs none.',
  commands: [add, list, revoke, open],
  examples: ['holdfast token add ci --role work --expires 90d', 'holdfast token list'],
}
