/* What the other layers of Holdfast need besides what users import; users can't import it. */

export { holdings } from './holdings.ts'
export { checkPrefix } from './id.ts'
export * from './index.ts'
export { operations } from './operations.ts'
export { checkTags, parseTags } from './tags.ts'
export { checkText } from './text.ts'
