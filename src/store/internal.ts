/* What the other layers of Holdfast need besides what users import; users can't import it. */

export { compete, lost } from './compete.ts'
export { s3Requests } from './drivers/s3/requests.ts'
export { eventLoopTurn } from './event-loop.ts'
export { type Check, clockCheck, examineS3, permissionCheck } from './examination.ts'
export * from './index.ts'
export { publishSite, type SiteFile, type SiteReport } from './publish.ts'
export { withoutSecrets } from './shown-url.ts'
