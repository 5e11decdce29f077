import type { Command } from '../../program/command.ts'
import { withTokens } from './tokens.ts'

export const open: Command = {
  name: 'open',
  about: 'let requests without a token in again, once all tokens are revoked',
  details:
    'Then every user of this machine has full access to servers that listen on it without a token of their own. Expired tokens are removed.',
  examples: ['holdfast token open'],
  async run(context) {
    const { out } = context
    const { changed } = await withTokens(context, (tokens) => tokens.open())
    out.confirm({
      kind: 'access',
      data: { closed: false },
      ...(changed ? {} : { changed: false as const }),
      lines: [changed ? 'Requests need no token any more.' : 'Requests need no token already.'],
    })
  },
}
