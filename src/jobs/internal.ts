/* What the other layers of Holdfast need besides what users import; users can't import it. */

export { holdings } from './holdings.ts'
export * from './index.ts'
