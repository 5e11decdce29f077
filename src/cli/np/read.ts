import type { Plan, PlanEvent, StoredEvent } from '../../plan/internal.ts'
import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { maxOf, pageExclusive, pageOptions } from '../program/option-value.ts'
import type { Answer } from '../program/output.ts'
import { markdownOf } from './markdown.ts'
import { planMax } from './options.ts'
import { checkSessionArgument, sessionArgument, withSession } from './plans.ts'
import { charactersMax, eventsMax, leftOutText, nextLines, nextStep, summaryOf } from './summary.ts'
import { cutLines, eventLines, planLines, selection } from './text.ts'

interface SessionCommand extends Omit<Command, 'run' | 'arguments'> {
  readonly answer: (context: Context) => Promise<Answer>
}

/** Shows something of the session that the command line names, or of the one that is active here. */
const sessionCommand = ({ answer, ...command }: SessionCommand): Command => ({
  ...command,
  arguments: [sessionArgument],
  async run(context) {
    checkSessionArgument(context)
    context.out.answer(await answer(context))
  },
})

export const print = sessionCommand({
  name: 'p',
  aliases: ['plan'],
  about: 'print the plan',
  details: `Of more than ${planMax} tasks it prints those in progress, those pending, and the newest of the rest.`,
  options: pageOptions(),
  exclusive: pageExclusive,
  async answer(context) {
    const max = maxOf(context, planMax)
    const plan = await withSession(context, (plans, sid) => plans.plan(sid))
    return planAnswer(context, plan, max)
  },
})

export const resume = sessionCommand({
  name: 'r',
  aliases: ['resume'],
  about: 'resume: the plan and what happened last, in short',
  details: `At most ${charactersMax} characters, whatever the size of the plan; it says what it leaves out.`,
  async answer(context) {
    const { isJson } = context.out
    const { plan, log } = await planAndLog(context, eventsMax)
    const named = context.args.words.length === 0 ? '' : ` ${plan.session.sid}`
    const next = nextLines(context, plan)
    return summaryOf(plan, log, { isJson, missingText: leftOutText(named), next })
  },
})

export const events: Command = {
  name: 'e',
  aliases: ['events'],
  about: 'show the log: what happened, when and why, the newest last',
  arguments: [sessionArgument],
  options: pageOptions(),
  exclusive: pageExclusive,
  async run(context) {
    const { out } = context
    checkSessionArgument(context)
    const max = maxOf(context)
    const { found, total } = await withSession(context, async (plans, sid) => {
      const { events, total } = await plans.events(sid, Number.isFinite(max) ? max : undefined)
      const found = readable(context, sid, events)
      // What can't be read was named; it is not what a cut list leaves out.
      return { found, total: total - (events.length - found.length) }
    })
    out.answer({
      kind: 'event.list',
      data: found,
      total,
      lines: found.flatMap((event) => eventLines(event)),
    })
    if (total === 0 && !out.isJson) out.note('No events yet.')
  },
}

export const exportPlan = sessionCommand({
  name: 'x',
  aliases: ['export'],
  about: 'export the plan and its whole log as Markdown',
  examples: ['np x > plan.md', 'np x --json > plan.json'],
  async answer(context) {
    const { plan, log } = await planAndLog(context)
    return {
      kind: 'plan',
      data: { ...plan, events: log.events },
      lines: context.out.isJson ? [] : markdownOf(plan, log.events),
      isDocument: true,
    }
  },
})

/** A plan and its log, or the newest so many events of that. */
const planAndLog = (context: Context, limit?: number) =>
  withSession(context, async (plans, sid) => {
    const plan = await plans.plan(sid)
    const { events, total } = await plans.events(sid, limit)
    return { plan, log: { events: readable(context, sid, events), total } }
  })

/** How many events that can't be read are named one by one. */
const namedMax = 20

/** The events that can be read; the others are named. */
function readable(
  { out }: Context,
  sid: string,
  stored: readonly StoredEvent<PlanEvent>[],
): PlanEvent[] {
  const broken = stored.filter(({ event }) => event === null)
  for (const { seq, problem } of broken.slice(0, namedMax))
    out.warn(`Event ${seq} of session ${sid} can't be read (${problem}).`)
  if (broken.length > namedMax) out.warn(`${broken.length - namedMax} more events can't be read.`)
  return stored.flatMap(({ event }) => event ?? [])
}

/** A plan as it is shown: itself, and last the next useful command. */
function planAnswer(context: Context, plan: Plan, max: number): Answer {
  const { session, goal, tasks } = plan
  const selected = selection(tasks, max)
  const next = nextStep(plan)
  return {
    kind: 'plan',
    data: { session, goal, tasks: selected.shown, next },
    total: tasks.length,
    shown: selected.shown.length,
    lines: context.out.isJson
      ? []
      : [...planLines(plan, selected), ...cutLines(selected), ...nextLines(context, plan)],
  }
}
