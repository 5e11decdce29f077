export { type McpHttp, mcpHttp } from './http.ts'
export { mcpServer } from './server.ts'
export { serveStdio } from './stdio.ts'
export type { Workplace } from './tool.ts'
