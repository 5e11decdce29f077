import type { Finding, MatcherState } from '../../../tree/internal.ts'
import type { Command } from '../../program/command.ts'
import { exitCodes } from '../../program/exit-code.ts'
import { oneLine } from '../../program/printable.ts'
import { matchersToCheck } from '../grimoire.ts'
import { library } from '../tree.ts'
import { folderAbove, matchersIn } from '../workspace.ts'

export const check: Command = {
  name: 'check',
  about: 'show what is wrong in .coven/grimoire-matchers.yaml, with line and column',
  details: 'It ends with 6 where there are errors, and with 0 where there are only warnings.',
  async run(context) {
    const { out, io } = context
    const folder = folderAbove(io)
    if (folder === null) {
      const { StoreError } = await import('../../../store/internal.ts')
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
    if (counts.errors > 0) context.exitCode = exitCodes.refused
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
