/* What the other layers of Holdfast need besides what users import; users can't import it. */

export { bulkActions, bulkTasksMax } from './bulk.ts'
export { historyFields } from './change.ts'
export { checkAgent, checkNewTask, checkNote, checkPatch } from './checks.ts'
export { httpStatuses } from './error.ts'
export { limitDefault, limitMax, parseQuery } from './filter.ts'
export { holdings } from './holdings.ts'
export { checkId, checkIdPrefix } from './id.ts'
export * from './index.ts'
export { retentionDefaults } from './maintenance.ts'
export { formatFinding } from './matchers/index.ts'
export { checkTags } from './tags.ts'
export { priorityMax, versionOf } from './task.ts'
