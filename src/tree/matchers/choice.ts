import {
  type Condition,
  parentAssigned,
  type RoutedTask,
  type Subject,
  subjectOf,
  type Verdict,
} from './conditions.ts'

/** The grimoire of a task that nothing else assigns one to. */
const defaultGrimoire = 'implement-bead'

/** A matcher that is used. */
export interface Matcher {
  readonly name: string
  /** Null where it takes over the parent's. */
  readonly grimoire: string | null
  /** All of them must hold; none hold always. */
  readonly conditions: readonly Condition[]
}

/** A matcher that has an error in it, and so never matches. */
interface SkippedMatcher {
  readonly name: string
  readonly skipped: string
}

export type Rule = Matcher | SkippedMatcher

interface Choice {
  readonly grimoire: string
  /** The name of a matcher, or 'grimoire_hint', 'grimoire:tag' or 'default'. */
  readonly matchedBy: string
}

/** A choice and how it came about, as the HTTP API shows it. */
export interface GrimoireMatch {
  /** What it would be worked on with. */
  readonly selected_grimoire: string
  /** The name of the matcher that decided, or `grimoire_hint`, `grimoire:tag` or `default`. */
  readonly matched_by: string
  /** Every matcher of the file, in order, also those that no longer mattered. */
  readonly evaluation: readonly (Verdict & { readonly name: string })[]
  /** What of the task the choice depends on. */
  readonly task_properties: {
    readonly tags: readonly string[]
    readonly priority: number
    readonly type: string
    readonly has_parent: boolean
    readonly grimoire_hint: string | null
    readonly parent_grimoire: string | null
  }
  /** There only while the file of matchers is broken: what is wrong, and which rules are used instead. */
  readonly matcher_file_error?: string
}

/** What the file of matchers says; its state is one. */
export interface RuleSet {
  /** The matchers that are in use, in order. */
  readonly rules: readonly Rule[]
  /** Why the file as it is now is not, in a sentence; null where it is. */
  readonly problem: string | null
}

/** The task's hint, else its tag `grimoire:X`, else the first matcher that matches, else the default. */
export function chooseGrimoire(
  { rules }: RuleSet,
  task: RoutedTask,
  parentGrimoire: string | null,
): Choice {
  return ownChoice(task) ?? firstMatch(rules, subjectOf(task, parentGrimoire))
}

/** The same choice, with the verdict of every matcher. */
export function explainGrimoire(
  { rules, problem }: RuleSet,
  task: RoutedTask,
  parentGrimoire: string | null,
): GrimoireMatch {
  const subject = subjectOf(task, parentGrimoire)
  const own = ownChoice(task)
  const choice = own ?? firstMatch(rules, subject)
  let first = own && (own.matchedBy === 'grimoire_hint' ? 'the grimoire_hint' : 'the grimoire tag')
  const evaluation = rules.map((rule) => {
    const { matched, reason } = verdictOf(rule, subject)
    const isLate = matched && first !== null
    const entry = {
      name: rule.name,
      matched,
      reason: isLate ? `${reason}; not used, because ${first} comes first` : reason,
    }
    if (matched) first ??= `'${rule.name}'`
    return entry
  })
  return {
    selected_grimoire: choice.grimoire,
    matched_by: choice.matchedBy,
    evaluation,
    task_properties: {
      tags: task.tags,
      priority: task.priority,
      type: task.type,
      has_parent: task.parent_id !== null,
      grimoire_hint: task.grimoire_hint,
      parent_grimoire: subject.parentGrimoire,
    },
    ...(problem === null ? {} : { matcher_file_error: problem }),
  }
}

const tagPrefix = 'grimoire:'

/** What the task itself says, which goes before all matchers. */
function ownChoice({ grimoire_hint, tags }: RoutedTask): Choice | null {
  const hint = grimoire_hint?.trim() ?? ''
  if (hint !== '') return { grimoire: hint, matchedBy: 'grimoire_hint' }
  for (const tag of tags) {
    const named = tag.startsWith(tagPrefix) ? tag.slice(tagPrefix.length).trim() : ''
    if (named !== '') return { grimoire: named, matchedBy: 'grimoire:tag' }
  }
  return null
}

function firstMatch(rules: readonly Rule[], subject: Subject): Choice {
  for (const rule of rules) {
    if ('skipped' in rule || !verdictOf(rule, subject).matched) continue
    // A matcher that inherits has matched only if there was something to inherit.
    const grimoire = rule.grimoire ?? subject.parentGrimoire
    if (grimoire !== null) return { grimoire, matchedBy: rule.name }
  }
  return { grimoire: defaultGrimoire, matchedBy: 'default' }
}

function verdictOf(rule: Rule, subject: Subject): Verdict {
  if ('skipped' in rule) return { matched: false, reason: `skipped: ${rule.skipped}` }
  const conditions = rule.grimoire === null ? [...rule.conditions, parentAssigned] : rule.conditions
  const reasons: string[] = []
  for (const condition of conditions) {
    const { matched, reason } = condition(subject)
    if (!matched) return { matched, reason }
    reasons.push(reason)
  }
  return { matched: true, reason: reasons.join('; ') || 'it has no conditions' }
}
