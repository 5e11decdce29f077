import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Makes a folder of the cache, complete or not at all: another run may be looking for it. */
export async function once(folder, make) {
  if (existsSync(folder)) return
  removeLeftovers(folder)
  const partial = `${folder}.${process.pid}`
  mkdirSync(partial, { recursive: true })
  try {
    await make(partial)
    renameSync(partial, folder)
  } catch (error) {
    // Another run may have been faster.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

/** What interrupted runs left behind; a half-built MinIO takes more than a gigabyte. */
function removeLeftovers(folder) {
  const parent = dirname(folder)
  const prefix = `${basename(folder)}.`
  if (!existsSync(parent)) return
  for (const name of readdirSync(parent)) {
    const processId = Number(name.slice(prefix.length))
    if (name.startsWith(prefix) && Number.isInteger(processId) && !isAlive(processId))
      rmSync(join(parent, name), { recursive: true, force: true })
  }
}

function isAlive(processId) {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Runs a program to its end, and shows what it said only where it fails: several run at a time. */
export function quietly(command, args, env = {}) {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve()
      else
        reject(
          new Error(`${[command, ...args].join(' ')} ended with ${code ?? signal}:\n${output}`),
        )
    })
  })
}
