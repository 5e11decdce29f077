export { ListenError } from './server.ts'
export type { Serving } from './serving.ts'
export { type ServeOptions, serveCoven } from './tree/serve.ts'
