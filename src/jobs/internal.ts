/* What the other layers of Holdfast need besides what users import; users can't import it. */

export { taskFields } from './fields.ts'
export { holdings } from './holdings.ts'
export * from './index.ts'
export { operations } from './operations.ts'
