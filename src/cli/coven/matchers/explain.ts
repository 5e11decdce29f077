import type { GrimoireMatch, Task } from '../../../tree/internal.ts'
import type { Command } from '../../program/command.ts'
import { oneLine } from '../../program/printable.ts'
import { matchersOf } from '../grimoire.ts'
import { checkedPrefix, idArgument, idOf, library, withTree } from '../tree.ts'

export const explain: Command = {
  name: 'explain',
  about: 'say which grimoire a task would get now, and what every matcher says',
  details: 'Its hint goes before its tag grimoire:NAME, that before the matchers, in their order.',
  arguments: [idArgument],
  examples: ['coven matchers explain 019a8b5c'],
  async run(context) {
    const { out } = context
    const { explainGrimoire } = await library()
    const prefix = await checkedPrefix(context.args.words[0])
    const state = await matchersOf(context)
    const { task, match } = await withTree(context, async (tree) => {
      const task = await tree.get(await idOf(tree, prefix))
      const [parent] = await tree.ancestors(task.id)
      return { task, match: explainGrimoire(state, task, parent?.grimoire ?? null) }
    })
    if (match.matcher_file_error !== undefined) out.warn(match.matcher_file_error)
    out.answer({ kind: 'grimoire', data: match, lines: linesOf(task, match) })
  },
}

/** The choice first, then why: `✓` for what matches, `✗` for what does not. */
function linesOf({ grimoire }: Task, match: GrimoireMatch): string[] {
  return [
    `${oneLine(match.selected_grimoire)}, by ${wordsFor(match.matched_by)}`,
    ...match.evaluation.map(
      ({ name, matched, reason }) => `${matched ? '✓' : '✗'} ${oneLine(name)}: ${oneLine(reason)}`,
    ),
    ...(grimoire === null ? [] : [`At its last claim it was ${oneLine(grimoire)}.`]),
  ]
}

function wordsFor(matchedBy: string): string {
  if (matchedBy === 'grimoire_hint') return 'its hint'
  if (matchedBy === 'grimoire:tag') return 'its tag'
  return matchedBy === 'default' ? 'default' : `the matcher ${oneLine(matchedBy)}`
}
