export { type Answer, answerOf } from './answer.ts'
export type { Condition } from './call.ts'
export {
  type Change,
  type Client,
  holdfastClient,
  type ModelName,
  type TreeEvent,
} from './client.ts'
export type { Asked, CallOptions, ClientOptions, Query } from './connection.ts'
export { ClientError } from './error.ts'
export type { FollowOptions } from './events.ts'
export type { ListMethod, Method, Methods } from './methods.ts'
export type { Page } from './pages.ts'
