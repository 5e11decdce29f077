/* What the other layers of Holdfast need besides what users import; users can't import it. */

export { byteLengthOf, encodeText, isSameBytes, textIn } from './bytes.ts'
export { checkedOptions, checkStore } from './check.ts'
export { compete, lost } from './compete.ts'
export { s3Requests } from './drivers/s3/requests.ts'
export { eventLoopTurn } from './event-loop.ts'
export { type Check, clockCheck } from './examination.ts'
export * from './index.ts'
export { isBegunByAdding, permissionCheck, schemeOf } from './open.ts'
export type { SiteFile, SiteReport } from './publish.ts'
export { sleep } from './sleep.ts'
export { withoutSecrets } from './without-secrets.ts'
