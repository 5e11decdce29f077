import { spawn } from 'node:child_process'

/**
 * Starts a program that goes on, and waits until it has said something. Answers with what was found of that, and with how to
 * end it; throws where it ends before.
 */
export async function started(command, args, { until, ...options }) {
  // A group of its own: what it starts ends with it.
  const child = spawn(command, args, {
    ...options,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? signal))
  })
  let said = ''
  const end = async (signal = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal)
    return ended
  }
  const found = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        said += text
        const match = until.exec(said)
        if (match) resolve(match)
      })
    ended.then((code) => reject(new Error(`${command} ended with ${code}:\n${said}`)), reject)
  })
  return { found, end }
}
