import { say } from '../shell.mjs'
import { quietly } from './once.mjs'
import { chromium, onPath } from './paths.mjs'

/** The tests of the page run in the browser of the system, which is installed where that is allowed. */
export const chromiumTool = {
  isThere: () => chromium() !== null,
  needsPython: () => false,
  async fetch() {
    if (process.getuid?.() !== 0 || onPath('apt-get') === null) throw new Error(advice)
    say('Installing the package chromium, for the tests of the page.')
    try {
      await quietly('apt-get', ['update'])
      await quietly('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'])
    } catch (error) {
      throw new Error(`${advice}\nInstalling it failed: ${error.message}`)
    }
  },
}

const advice =
  'The tests of the page need Chromium, and it is not on PATH here. Install it, and try again. ' +
  'Debian and Ubuntu: apt-get install chromium. macOS: brew install --cask google-chrome, and put it on PATH.'
