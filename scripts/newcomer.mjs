// `npm run newcomer`: the path of somebody who has nothing but Node, npm and git, timed. Clones the last commit into an
// empty folder, runs `npm start` there, opens the page that it names in Chromium, and waits for the first task on it.
// Caches are empty; with --warm those of the user are taken, as for a second checkout.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium as driver } from 'playwright-core'
import { chromium as installed } from './fetch/paths.mjs'
import { root, say } from './shell.mjs'
import { started } from './started.mjs'

const secondsMax = 120

const folder = mkdtempSync(join(tmpdir(), 'holdfast-newcomer-'))
const checkout = join(folder, 'holdfast')
const isWarm = process.argv.includes('--warm')
const env = {
  ...ownEnvironment(),
  XDG_DATA_HOME: join(folder, 'data'),
  XDG_CONFIG_HOME: join(folder, 'config'),
  ...(isWarm
    ? {}
    : { XDG_CACHE_HOME: join(folder, 'cache'), npm_config_cache: join(folder, 'npm') }),
}

/** Without what npm tells the scripts that it runs: the newcomer's npm starts anew. */
function ownEnvironment() {
  const foreign = /^(npm_|HOLDFAST_|NODE_ENV$|INIT_CWD$)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
}

const begun = performance.now()
const seconds = () => (performance.now() - begun) / 1000
const step = (what) => process.stdout.write(`${seconds().toFixed(1).padStart(6)} s  ${what}\n`)

try {
  say(`git clone, then npm start, with ${isWarm ? 'the caches of this machine' : 'empty caches'}.`)
  execFileSync('git', ['clone', '--quiet', root(), checkout], { stdio: 'inherit' })
  step('cloned')
  const until = /listens on (\S+)\n.*Ctrl-C ends it/s
  // Any port: another server may have the usual one.
  const { found, end } = await started('npm', ['start', '--', '--port', '0'], {
    cwd: checkout,
    env,
    until,
  })
  try {
    step(`installed, built and started: ${found[1]}`)
    await seeTask(found[1])
    step('the first task is on the page')
  } finally {
    await end('SIGINT')
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (seconds() > secondsMax) {
  say(`That is longer than ${secondsMax} s.`)
  process.exitCode = 1
}

async function seeTask(url) {
  const [executablePath] = installed() ?? []
  if (executablePath === undefined) throw new Error('There is no Chromium here: install one.')
  const args = ['--no-sandbox', '--disable-dev-shm-usage']
  const browser = await driver.launch({ executablePath, args })
  try {
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByText('sample.greet').first().waitFor()
  } finally {
    await browser.close()
  }
}
