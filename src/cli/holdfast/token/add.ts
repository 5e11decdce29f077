import type { Role } from '../../../access/index.ts'
import type { Command } from '../../program/command.ts'
import { oneLine } from '../../program/printable.ts'
import { lifetimeOf } from './expiry.ts'
import { nameArgument, withTokens } from './tokens.ts'

export const add: Command = {
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
    const { checkName } = await import('../../../access/index.ts')
    checkName(name)
    const { secret, token } = await withTokens(context, (tokens) =>
      tokens.add(name, role, lifetime),
    )
    out.answer({ kind: 'token', data: { ...token, token: secret }, lines: [secret] })
    if (out.isJson) return
    out.note(`This is the only time that the token of ${oneLine(name)} is shown.`)
    out.note('Send it with every request: Authorization: Bearer TOKEN')
  },
}
