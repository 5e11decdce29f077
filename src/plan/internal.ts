/* What the other layers of Holdfast need besides what users import; users can't import it. */

export type { PlanAfter } from './answers.ts'
export { canonicalPath } from './directory.ts'

export { holdings } from './holdings.ts'
export * from './index.ts'
export { operations } from './operations.ts'
export { checkSessionPrefix } from './session-id.ts'
export type { PlanChange, SessionReader } from './session-reader.ts'
export { glyphs, parseStatus } from './status.ts'
export { checkChange } from './steps.ts'
