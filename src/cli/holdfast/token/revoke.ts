import type { Command } from '../../program/command.ts'
import { oneLine } from '../../program/printable.ts'
import { nameArgument, withTokens } from './tokens.ts'

export const revoke: Command = {
  name: 'revoke',
  about: 'take a token away',
  details:
    'Servers refuse it within a second, and end its open streams within two. After the last one requests still need a token, until "holdfast token open".',
  arguments: [nameArgument],
  examples: ['holdfast token revoke ci'],
  async run(context) {
    const { args, out } = context
    const [name = ''] = args.words
    const { token, left } = await withTokens(context, (tokens) => tokens.revoke(name))
    out.confirm({ kind: 'token', data: token, lines: [`Revoked ${oneLine(token.name)}.`] })
    if (left === 0)
      out.note('That was the last token. Requests still need one, until "holdfast token open".')
  },
}
