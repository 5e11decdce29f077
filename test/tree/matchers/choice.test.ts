import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  chooseGrimoire,
  explainGrimoire,
  parseMatchers,
  type RoutedTask,
  type RuleSet,
} from '../../../src/tree/matchers/index.ts'
import { plain } from './plain.ts'

async function rulesOf(text: string): Promise<RuleSet> {
  const { rules, findings } = await parseMatchers(text)
  assert.deepEqual(
    findings.filter(({ severity }) => severity === 'error'),
    [],
  )
  return { rules: rules ?? [], problem: null }
}

/** What a matcher with this `match` says about a task. */
async function verdictOn(match: string, task: Partial<RoutedTask>) {
  const rules = await rulesOf(`matchers:\n  - {name: m, grimoire: g, match: ${match}}\n`)
  const { evaluation, selected_grimoire } = explainGrimoire(rules, { ...plain, ...task }, null)
  const [verdict] = evaluation
  assert.ok(verdict)
  assert.equal(selected_grimoire, verdict.matched ? 'g' : 'implement-bead')
  return verdict
}

const security = '{any_tags: [security, "auth*"]}'
const both = '{all_tags: [frontend, "perf*"]}'
const not = '{priority: [0, 1], not_tags: [docs, "wip/**"]}'

/** A match, a task, whether it matches, and why. */
const fields: readonly (readonly [string, Partial<RoutedTask>, boolean, string])[] = [
  ['{}', {}, true, 'it has no conditions'],
  [
    security,
    { tags: ['x', 'authentication'] },
    true,
    "any_tags matched 'auth*' via tag 'authentication'",
  ],
  [security, { tags: ['security'] }, true, "any_tags matched 'security' via tag 'security'"],
  [security, { tags: ['Security', 'oauth'] }, false, 'any_tags [security, auth*] matched no tag'],
  [security, {}, false, 'any_tags [security, auth*] matched no tag'],
  ['{any_tags: [2024, true]}', { tags: ['true'] }, true, "any_tags matched 'true' via tag 'true'"],
  [both, { tags: ['performance', 'frontend'] }, true, 'all_tags [frontend, perf*] all matched'],
  [both, { tags: ['frontend'] }, false, "all_tags 'perf*' matched no tag"],
  [both, { tags: ['performance'] }, false, "all_tags 'frontend' matched no tag"],
  [not, { priority: 0 }, true, 'priority 0 in [0, 1]; not_tags [docs, wip/**] matched no tag'],
  [not, { priority: 0, tags: ['docs'] }, false, "excluded: not_tags matched 'docs' via tag 'docs'"],
  [
    not,
    { priority: 1, tags: ['wip/x/y'] },
    false,
    "excluded: not_tags matched 'wip/**' via tag 'wip/x/y'",
  ],
  [not, { priority: 2, tags: ['docs'] }, false, 'priority 2 not in [0, 1]'],
  ['{priority: [3]}', { priority: 3 }, true, 'priority 3 in [3]'],
  ['{priority: [0, 4]}', { priority: 3 }, false, 'priority 3 not in [0, 4]'],
  ['{priority_range: [1, 3]}', { priority: 1 }, true, 'priority 1 in the range 1 to 3'],
  ['{priority_range: [1, 3]}', { priority: 3 }, true, 'priority 3 in the range 1 to 3'],
  ['{priority_range: [1, 3]}', { priority: 0 }, false, 'priority 0 not in the range 1 to 3'],
  ['{priority_range: [1, 3]}', { priority: 4 }, false, 'priority 4 not in the range 1 to 3'],
  ['{priority_range: [2, 2]}', { priority: 2 }, true, 'priority 2 in the range 2 to 2'],
  [
    '{priority: [0], priority_range: [1, 3]}',
    { priority: 0 },
    false,
    'priority 0 not in the range 1 to 3',
  ],
  ['{type: [bug, feature]}', { type: 'bug' }, true, "type 'bug' in [bug, feature]"],
  ['{type: [bug, feature]}', { type: 'task' }, false, "type 'task' not in [bug, feature]"],
  [
    '{body_contains: ["CVE-", vulnerability]}',
    { body: 'see cve-2024-1' },
    true,
    "body_contains 'CVE-' found",
  ],
  [
    '{body_contains: ["CVE-", vulnerability]}',
    { body: 'A VULNERABILITY' },
    true,
    "body_contains 'vulnerability' found",
  ],
  ['{body_contains: ["CVE-"]}', { body: 'cve 1' }, false, 'body_contains [CVE-] not found'],
  [
    '{body_contains: ["CVE-"]}',
    { body: null, title: 'CVE-1' },
    false,
    'body_contains [CVE-] not found',
  ],
  ['{body_contains: ["a.c"]}', { body: 'abc' }, false, 'body_contains [a.c] not found'],
  ['{has_parent: true}', { parent_id: 'p' }, true, 'has_parent true, and the task has a parent'],
  ['{has_parent: true}', {}, false, 'has_parent true, and the task has no parent'],
  ['{has_parent: false}', {}, true, 'has_parent false, and the task has no parent'],
  ['{has_parent: false}', { parent_id: 'p' }, false, 'has_parent false, and the task has a parent'],
  ['{labels: ["old*"]}', { tags: ['older'] }, true, "labels matched 'old*' via tag 'older'"],
  ['{labels: ["old*"]}', { tags: ['new'] }, false, 'labels [old*] matched no tag'],
  [
    '{any_tags: [a], priority: [0], type: [bug]}',
    { tags: ['a'], priority: 0 },
    false,
    "type 'task' not in [bug]",
  ],
  ['{any_tags: []}', {}, true, 'it has no conditions'],
  ['{unknown: [x], not_tags: [a]}', {}, true, 'not_tags [a] matched no tag'],
  ['{not_tags: [a]}', {}, true, 'not_tags [a] matched no tag'],
]

describe('the fields of match', () => {
  for (const [match, task, matched, reason] of fields)
    test(`${match} on ${JSON.stringify(task)}`, async () => {
      assert.deepEqual(await verdictOn(match, task), { name: 'm', matched, reason })
    })

  test('a long list is cut in the reason', async () => {
    const tags = Array.from({ length: 30 }, (_, index) => `t${index}`)
    const { reason } = await verdictOn(`{any_tags: [${tags}]}`, {})
    assert.match(reason, /t9, …\] matched no tag$/)
  })
})

/** The file of the specification, word for word. */
const specified = `
matchers:
  - name: security-review
    grimoire: security-audit
    match:
      any_tags: ["security", "auth*"]  # OR: match if ANY tag matches glob
      body_contains: ["CVE-", "vulnerability"]  # case-insensitive substring
  - name: critical-non-docs
    grimoire: fast-track
    match:
      priority: [0, 1]
      not_tags: ["docs", "wip"]  # Exclude if task has these tags
  - name: frontend-and-performance
    grimoire: perf-audit
    match:
      all_tags: ["frontend", "performance"]  # AND: require ALL tags
  - name: docs-only
    grimoire: documentation
    match:
      any_tags: ["docs", "documentation"]
      type: ["task"]
  - name: inherit-parent
    inherit: true
    match:
      has_parent: true
  - name: default
    grimoire: implement-bead
    match: {}  # Matches everything
`

const choices: readonly (readonly [Partial<RoutedTask>, string | null, string, string])[] = [
  [{ tags: ['auth'], body: 'CVE-1' }, null, 'security-audit', 'security-review'],
  [{ tags: ['auth'] }, null, 'implement-bead', 'default'],
  [{ priority: 1, tags: ['frontend', 'performance'] }, null, 'fast-track', 'critical-non-docs'],
  [{ priority: 1, tags: ['docs'] }, null, 'documentation', 'docs-only'],
  [{ tags: ['frontend', 'performance'] }, null, 'perf-audit', 'frontend-and-performance'],
  [{ tags: ['docs'], type: 'bug' }, null, 'implement-bead', 'default'],
  [{ parent_id: 'p' }, 'from-parent', 'from-parent', 'inherit-parent'],
  [{ parent_id: 'p' }, null, 'implement-bead', 'default'],
  [{}, 'no-parent-of-it', 'implement-bead', 'default'],
  [{ grimoire_hint: 'mine', tags: ['grimoire:tagged'], priority: 0 }, 'p', 'mine', 'grimoire_hint'],
  [
    { tags: ['x', 'grimoire:tagged', 'grimoire:second'], priority: 0 },
    null,
    'tagged',
    'grimoire:tag',
  ],
  [{ tags: ['grimoire:', 'Grimoire:x', 'xgrimoire:y'] }, null, 'implement-bead', 'default'],
  [{ grimoire_hint: ' ', tags: [] }, null, 'implement-bead', 'default'],
]

describe('the choice', () => {
  for (const [task, parent, grimoire, matchedBy] of choices)
    test(`${JSON.stringify(task)} below ${parent}: ${grimoire}`, async () => {
      const rules = await rulesOf(specified)
      assert.equal(rules.rules.length, 6)
      const given = { ...plain, ...task }
      assert.deepEqual(chooseGrimoire(rules, given, parent), { grimoire, matchedBy })
      const { selected_grimoire, matched_by, evaluation } = explainGrimoire(rules, given, parent)
      assert.deepEqual([selected_grimoire, matched_by], [grimoire, matchedBy])
      assert.deepEqual(
        evaluation.map(({ name }) => name),
        rules.rules.map(({ name }) => name),
      )
    })

  test('without a file it is the default', () => {
    assert.deepEqual(chooseGrimoire({ rules: [], problem: null }, plain, null), {
      grimoire: 'implement-bead',
      matchedBy: 'default',
    })
  })

  test('an inherit without conditions matches where there is something to inherit', async () => {
    const rules = await rulesOf(
      'matchers:\n- {name: i, inherit: true, match: {}}\n- {name: d, grimoire: g, match: {}}\n',
    )
    const child = { ...plain, parent_id: 'p' }
    assert.equal(chooseGrimoire(rules, child, 'up').grimoire, 'up')
    assert.equal(chooseGrimoire(rules, child, null).grimoire, 'g')
    assert.equal(chooseGrimoire(rules, plain, 'up').grimoire, 'g')
    const reasons = [child, plain].map((task) => explainGrimoire(rules, task, null).evaluation[0])
    assert.deepEqual(reasons, [
      { name: 'i', matched: false, reason: 'inherit: the parent was assigned no grimoire' },
      { name: 'i', matched: false, reason: 'inherit: the task has no parent' },
    ])
  })
})

describe('the explanation', () => {
  test('has the verdict of every matcher, and what it looked at', async () => {
    const rules = await rulesOf(specified)
    const task = { ...plain, priority: 1, tags: ['api'], parent_id: 'p' }
    assert.deepEqual(explainGrimoire(rules, task, 'up'), {
      selected_grimoire: 'fast-track',
      matched_by: 'critical-non-docs',
      evaluation: [
        {
          name: 'security-review',
          matched: false,
          reason: 'any_tags [security, auth*] matched no tag',
        },
        {
          name: 'critical-non-docs',
          matched: true,
          reason: 'priority 1 in [0, 1]; not_tags [docs, wip] matched no tag',
        },
        {
          name: 'frontend-and-performance',
          matched: false,
          reason: "all_tags 'frontend' matched no tag",
        },
        {
          name: 'docs-only',
          matched: false,
          reason: 'any_tags [docs, documentation] matched no tag',
        },
        {
          name: 'inherit-parent',
          matched: true,
          reason:
            "has_parent true, and the task has a parent; inherit: the parent was assigned 'up'; " +
            "not used, because 'critical-non-docs' comes first",
        },
        {
          name: 'default',
          matched: true,
          reason: "it has no conditions; not used, because 'critical-non-docs' comes first",
        },
      ],
      task_properties: {
        tags: ['api'],
        priority: 1,
        type: 'task',
        has_parent: true,
        grimoire_hint: null,
        parent_grimoire: 'up',
      },
    })
  })

  test('says that a hint or a tag comes first', async () => {
    const rules = await rulesOf('matchers: [{name: all, grimoire: g, match: {}}]')
    const reasonFor = (task: Partial<RoutedTask>) =>
      explainGrimoire(rules, { ...plain, ...task }, null).evaluation[0]?.reason
    assert.match(
      reasonFor({ grimoire_hint: 'x' }) ?? '',
      /not used, because the grimoire_hint comes/,
    )
    assert.match(
      reasonFor({ tags: ['grimoire:x'] }) ?? '',
      /not used, because the grimoire tag comes/,
    )
  })

  test('has skipped matchers, and what is wrong with the file', async () => {
    const { rules } = await parseMatchers(
      'matchers:\n- {name: bad, grimoire: g, match: {any_tags: ["["]}}\n- {name: ok, grimoire: g, match: {}}\n',
    )
    const match = explainGrimoire({ rules: rules ?? [], problem: 'It is broken.' }, plain, null)
    assert.equal(match.matched_by, 'ok')
    assert.equal(match.matcher_file_error, 'It is broken.')
    assert.equal(match.evaluation[0]?.matched, false)
    assert.match(match.evaluation[0]?.reason ?? '', /^skipped: line 2: any_tags: The pattern "\["/)
  })
})
