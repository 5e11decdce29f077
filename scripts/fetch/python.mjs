import { spawnSync } from 'node:child_process'
import { quietly } from './once.mjs'
import { inVenv } from './paths.mjs'

const python = process.platform === 'win32' ? 'python' : 'python3'

/** Throws, before anything is fetched, where Python packages could not be installed. */
export function checkPython() {
  const check = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'
  if (spawnSync(python, ['-c', check]).status === 0) return
  throw new Error(
    'The tests run on real servers, some of which come as Python packages, but there is no ' +
      `Python 3.10 or newer with its venv module here, as \`${python}\`. Install it, and try again. ` +
      'Debian and Ubuntu: apt-get install python3 python3-venv. macOS: brew install python3.',
  )
}

/** Makes a virtual environment in `folder` that holds these packages. */
export async function installPython(folder, packages) {
  await quietly(python, ['-m', 'venv', folder])
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input']
  await quietly(inVenv(folder, 'python'), ['-m', 'pip', 'install', ...quiet, ...packages])
}
