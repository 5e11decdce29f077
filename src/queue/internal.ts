/* What the other layers of Holdfast need besides what users import; users can't import it. */

export { checkShard, checkSubmission, checkType, checkWorkerId } from './checks.ts'
export { checkInput, inlineBytesMax } from './content.ts'
export { holdings } from './holdings.ts'
export { checkId, checkIdPrefix } from './id.ts'
export * from './index.ts'
export { operations } from './operations.ts'
export type { ShownTask } from './shapes.ts'
export { indexModes } from './worker/options.ts'
