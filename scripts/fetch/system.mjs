import { say } from '../shell.mjs'
import { quietly } from './once.mjs'
import { chromium, onPath } from './paths.mjs'

/** One after another, for apt-get locks out its like. */
let installed = Promise.resolve()
function install(name) {
  const next = installed.then(async () => {
    await quietly('apt-get', ['update'])
    await quietly('apt-get', ['install', '-y', '--no-install-recommends', name])
  })
  installed = next.catch(() => {})
  return next
}

/** Installs the first of these packages that there is. */
async function installFirst([name, ...others]) {
  try {
    await install(name)
  } catch (error) {
    if (others.length === 0) throw error
    await installFirst(others)
  }
}

/** A program of the system, which is installed where that is allowed: from the first of its packages that there is. */
const systemTool = (name, { packages = [name], isThere, purpose, elsewhere }) => ({
  isThere,
  needsPython: () => false,
  async fetch() {
    const advice =
      `${purpose} need ${name}, and it is not on PATH here. Install it, and try again. ` +
      `Debian and Ubuntu: apt-get install ${name}. macOS: ${elsewhere}.`
    if (process.getuid?.() !== 0 || onPath('apt-get') === null) throw new Error(advice)
    say(`Installing the package ${name}, which ${purpose.toLowerCase()} need.`)
    try {
      await installFirst(packages)
    } catch (error) {
      throw new Error(`${advice}\nInstalling it failed: ${error.message}`)
    }
  },
})

export const chromiumTool = systemTool('chromium', {
  // The first is the same browser without any window, and takes a third less of the processor.
  packages: ['chromium-headless-shell', 'chromium'],
  isThere: () => chromium() !== null,
  purpose: 'The tests of the page',
  elsewhere: 'brew install --cask google-chrome, and put it on PATH',
})

/** The documentation shows commands that use them, and every command that it shows is run. */
export const shownTools = ['curl', 'jq'].map((name) =>
  systemTool(name, {
    isThere: () => onPath(name) !== null,
    purpose: 'The tests of the documentation',
    elsewhere: `brew install ${name}`,
  }),
)
