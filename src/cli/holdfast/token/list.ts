import type { Token } from '../../../access/index.ts'
import type { Command } from '../../program/command.ts'
import { columnWidth, measureFor, padTo } from '../../program/display-width.ts'
import { oneLine } from '../../program/printable.ts'
import { expiryWords, withTokens } from './tokens.ts'

export const list: Command = {
  name: 'list',
  about: 'list the tokens: names, roles and times',
  details: 'Neither tokens nor their hashes are shown.',
  examples: ['holdfast token list'],
  async run(context) {
    const { out } = context
    const { tokens, closed } = await withTokens(context, (all) => all.list())
    const next =
      closed && tokens.length === 0
        ? 'Requests still need a token. Add one with "holdfast token add", or let everybody in again with "holdfast token open".'
        : undefined
    out.answer({
      kind: 'token.list',
      data: tokens,
      ...(next === undefined ? {} : { next }),
      lines: await rows(tokens),
    })
    if (tokens.length > 0 || out.isJson) return
    out.note(next ?? 'No tokens. Add one: holdfast token add NAME --role work')
  },
}

async function rows(tokens: readonly Token[]): Promise<string[]> {
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
