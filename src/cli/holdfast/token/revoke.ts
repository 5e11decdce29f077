import type { Command } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { oneLine } from '../../program/printable.ts'
import { nameArgument, withTokens } from './tokens.ts'

export const revoke: Command = {
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
    const { token, left } = await withTokens(context, (tokens) => tokens.revoke(name))
    out.confirm({ kind: 'token', data: token, lines: [`Revoked ${oneLine(token.name)}.`] })
    if (left === 0)
      out.note('That was the last token. Requests still need one, until "holdfast token open".')
  },
}

async function revokeAll(context: Context): Promise<void> {
  const { out } = context
  const { changed } = await withTokens(context, (tokens) => tokens.revokeAll())
  out.confirm({
    kind: 'token.list',
    data: [],
    ...(changed ? {} : { changed: false as const }),
    lines: [changed ? 'Revoked all tokens.' : 'No tokens.'],
  })
  if (changed) out.note('Requests still need a token, until "holdfast token open".')
}
