// `npm run servers`: starts NATS, MinIO and ministack for a person to try, until Ctrl-C. With --json what
// they are is told in one line, for a program.
import { spawn } from 'node:child_process'
import { newerNode } from './fetch/paths.mjs'

// The servers of the tests are written in TypeScript, which only newer Nodes run as it is.
if (process.features.typescript) {
  const { runServers } = await import('../test/servers/main.ts')
  await runServers({ json: process.argv.includes('--json') })
} else {
  const child = spawn(newerNode, [import.meta.filename, ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
  // Ctrl-C reaches it too: we only wait until it has ended the servers.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
}
