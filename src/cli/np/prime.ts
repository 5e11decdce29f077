import type { Plan, Plans } from '../../plan/internal.ts'
import { StoreError } from '../../store/internal.ts'
import { oneLine, printableJson } from '../../terminal/index.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { SettingsError, TrustError } from '../program/error.ts'
import { withModel } from '../program/model.ts'
import type { Answer } from '../program/output.ts'
import { directoryOrNull, planModel } from './plans.ts'
import { charactersMax, leftOutText, summaryOf } from './summary.ts'
import { counts, isSettled } from './text.ts'

/** How to work with a plan, for an agent that has never seen one. */
const rules = [
  'The plan outlives your memory: it is per directory, shared, and np is the only way to change it. "np r" restores it.',
  'No session yet? "np s", then set the goal: np g s -t TITLE -d DESCRIPTION.',
  'Break the work into tasks: np t a -t TITLE -d DESCRIPTION (pairs repeat; -d - reads stdin).',
  'Before you work on a task: np t u -i ID -s in_progress. One at a time.',
  'The moment it is done: np t u -i ID -s completed. Never batch this up for later.',
  'It failed, or is not wanted: -s failed or -s cancelled, with -r REASON. Changing texts needs -r, too.',
  'New work that you find goes into the plan before you do it.',
  'Exit codes: 2 correct the command, 3 no such id, 4 no session here, 5 somebody was first, 6 not in this state, 7 try later. --json for programs.',
  'All done: np a archives the session.',
]

/** How many ids of ready tasks are named. */
const readyMax = 20

export const prime: Command = {
  name: 'prime',
  about: "for an agent's start: the current plan, what is ready, and how to work with it",
  details: `At most ${charactersMax} characters. Where no session is active it says how to start one, and is still exit 0, so that it can stand in an agent's start-up hook. Where a settings file does not count or can't be used, one line says why, and it is exit 0, too.`,
  async run(context) {
    const { out } = context
    try {
      const plan = await planHere(context)
      out.answer(plan === null ? withoutPlan() : withPlan(plan, out.isJson))
    } catch (error) {
      if (!(error instanceof TrustError || error instanceof SettingsError)) throw error
      out.answer(await refused(context, error))
    }
  },
}

/** The plan of the session here; null without one, also where there is no store yet because none was ever named. */
async function planHere(context: Context): Promise<Plan | null> {
  try {
    return await withModel(context, planModel, (plans) => activePlan(context, plans))
  } catch (error) {
    if (error instanceof TrustError || error instanceof SettingsError) throw error
    const { isDefault } = await context.storeChoice()
    const isMissing = error instanceof StoreError && error.reason === 'missing_store'
    if (isMissing && isDefault) return null
    throw error
  }
}

async function activePlan(context: Context, plans: Plans): Promise<Plan | null> {
  const directory = directoryOrNull(context)
  const session = directory === null ? null : await plans.find(directory)
  return session && plans.plan(session.sid)
}

/** An agent reads it in a directory that may be anybody's, so it quotes nothing of the file. */
async function refused(context: Context, error: TrustError | SettingsError): Promise<Answer> {
  return {
    kind: 'prime',
    data: { plan: null, ready: [], rules: [] },
    refused: [await context.failureOf(error)],
    lines: [oneLine(`np: ${error.message} That is for your user to decide.`)],
  }
}

const ruleLines = ['', 'Rules of working with np:', ...rules.map((rule) => `- ${rule}`)]

const withoutPlan = (): Answer => ({
  kind: 'prime',
  data: { plan: null, ready: [], rules },
  lines: ['No session is active in this directory. Start one with: np s', ...ruleLines],
})

function withPlan(plan: Plan, isJson: boolean): Answer {
  const open = plan.tasks.filter((task) => !isSettled(task))
  const ready = open.filter(({ status }) => status === 'pending').map(({ id }) => id)
  const named = ready.slice(0, readyMax)
  const settled = counts(plan.tasks.filter(isSettled))
  const more = ready.length > readyMax ? `, … (${readyMax} of ${ready.length})` : ''
  const after = [
    ...(settled === '' ? [] : ['', `Settled: ${settled}.`]),
    '',
    named.length === 0 ? 'Ready: nothing.' : `Ready, in this order: ${named.join(', ')}${more}`,
    ...ruleLines,
  ]
  const rest = { ready: named, settled, rules }
  const taken = isJson
    ? printableJson({ v: 1, kind: 'prime', data: { plan: '', ...rest } }).length
    : after.join('\n').length + 1
  const shown = summaryOf(
    { ...plan, tasks: open },
    { events: [], total: 0 },
    { isJson, missingText: leftOutText(''), next: [], max: charactersMax - taken },
  )
  return {
    kind: 'prime',
    data: { plan: shown.data, ...rest },
    lines: [...shown.lines, ...after],
  }
}
