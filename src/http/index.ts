export { HttpServer, ListenError } from './server.ts'
export {
  hostDefault,
  portDefault,
  type ServeOptions,
  type Serving,
  serveCoven,
} from './tree/serve.ts'
