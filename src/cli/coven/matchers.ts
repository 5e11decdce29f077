import { kinds } from '../../collection/index.ts'
import { oneLine } from '../../terminal/index.ts'
import type { Finding, GrimoireMatch, MatcherState, Task } from '../../tree/internal.ts'
import type { Command } from '../program/command.ts'
import { withModel } from '../program/model.ts'
import { matchersOf, matchersToCheck } from './grimoire.ts'
import { checkedPrefix, idArgument, idOf, library, treeModel } from './tree.ts'
import { folderAbove, matchersIn } from './workspace.ts'

const check: Command = {
  name: 'check',
  about: 'show what is wrong in .coven/grimoire-matchers.yaml, with line and column',
  details: 'It ends with 6 where there are errors, and with 0 where there are only warnings.',
  async run(context) {
    const { out, io } = context
    const folder = folderAbove(io)
    if (folder === null) {
      const { StoreError } = await import('../../store/internal.ts')
      throw new StoreError(
        'missing_store',
        'There is no folder .coven here or above.',
        'Make one with "coven init".',
      )
    }
    const { formatFinding } = await library()
    const path = matchersIn(folder)
    const state = await matchersToCheck(context)
    const { findings } = state
    const counts = countsOf(state)
    out.answer({
      kind: 'matchers',
      data: { path, state: state.state, ...counts, findings },
      lines: [
        ...findings.map((finding) => oneLine(formatFinding(path, finding))),
        summaryOf(path, state),
      ],
    })
    if (counts.errors > 0) context.exitCode = kinds.refused.exit
  },
}

const countsOf = ({ rules, findings }: MatcherState) => ({
  matchers: rules.length,
  errors: countBy(findings, 'error'),
  warnings: countBy(findings, 'warning'),
})

const countBy = (findings: readonly Finding[], severity: Finding['severity']): number =>
  findings.filter((finding) => finding.severity === severity).length

function summaryOf(path: string, state: MatcherState): string {
  const { matchers, errors, warnings } = countsOf(state)
  if (state.state === 'absent')
    return `There is no ${oneLine(path)}: hints, tags and the default decide.`
  const counts = [counted(matchers, 'matcher'), counted(errors, 'error')]
  const said = [...counts, counted(warnings, 'warning')].join(', ')
  return state.state === 'broken' ? `${said}; no matcher is in use, only the default` : said
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const explain: Command = {
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
    const { task, match } = await withModel(context, treeModel(), async (tree) => {
      const task = await tree.get(await idOf(tree, prefix))
      const [parent] = await tree.ancestors(task.id)
      return { task, match: explainGrimoire(state, task, parent?.grimoire ?? null) }
    })
    if (match.matcher_file_error !== undefined) out.warn(match.matcher_file_error)
    out.answer({ kind: 'grimoire', data: match, lines: explanationLines(task, match) })
  },
}

/** The choice first, then why: `✓` for what matches, `✗` for what does not. */
function explanationLines({ grimoire }: Task, match: GrimoireMatch): string[] {
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

export const matchers: Command = {
  name: 'matchers',
  about: 'check the rules that choose grimoires, and explain what they choose',
  commands: [check, explain],
}
