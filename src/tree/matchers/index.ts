export { BadGlobError } from './bad-glob-error.ts'
export {
  type Choice,
  chooseGrimoire,
  defaultGrimoire,
  explainGrimoire,
  type GrimoireMatch,
  type Matcher,
  type Rule,
  type RuleSet,
  type SkippedMatcher,
} from './choice.ts'
export type { RoutedTask, Verdict } from './conditions.ts'
export { type Finding, formatFinding } from './finding.ts'
export { compileGlob, type Glob } from './glob.ts'
export { MatcherFile, type MatcherFileOptions, type MatcherState } from './matcher-file.ts'
export { type ParsedMatchers, parseMatchers } from './parse.ts'
export type { MatcherReader, MatcherReading } from './source.ts'
export { compileTagPattern, type TagFilter } from './tag-pattern.ts'
