import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'

/** A path of the checkout. */
export const root = (...parts) => resolve(import.meta.dirname, '..', ...parts)

export const say = (text) => process.stderr.write(`holdfast: ${text}\n`)

/** Runs a program to its end in the checkout; its output is ours. Throws unless it succeeds. */
export async function run(command, args, { env = {}, cwd = root() } = {}) {
  const code = await exitCodeOf(command, args, { env, cwd })
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with ${code}`)
}

export function exitCodeOf(command, args, { env = {}, cwd = root() } = {}) {
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(code ?? signal))
  })
}

/** Runs npm: the one that runs us, where one does. */
export function npm(args) {
  const env = {
    npm_config_jobs: String(availableParallelism()),
    npm_config_loglevel: 'error',
    // An npm that only pretends, and runs us before it does, would hand that on.
    npm_config_dry_run: 'false',
  }
  const script = process.env['npm_execpath']
  return script?.endsWith('.js')
    ? run(process.execPath, [script, ...args], { env })
    : run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { env })
}
