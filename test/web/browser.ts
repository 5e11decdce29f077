import assert from 'node:assert/strict'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
  type Route,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { chromium as installed } from '../../scripts/fetch/paths.mjs'
import { eventually } from '../eventually.ts'

/** How long anything on the page may take to show. */
const patienceMs = 60_000

/**
 * What Chromium is better without. The first two are pages behind the address bar, which it loads for every new window though
 * nobody sees them: they took two thirds of its time. Of several such lists the last one counts, so the others are those
 * that Playwright names.
 */
const disabledFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'SpareRendererForSitePerProcess',
  'ThirdPartyStoragePartitioning',
]

const browserArgs = [
  // Within a container there is no sandbox to be had, and shared memory is short.
  '--no-sandbox',
  '--disable-dev-shm-usage',
  `--disable-features=${disabledFeatures.join()}`,
]

/** What makes something new; a plan has one goal, and refuses another. */
const making = /^POST \/api\/(tasks|queue\/tasks|list\/tasks|plans\/[^/]+\/(goal|tasks))$/

/** Whether it changes nothing, or only what whoever asks has seen. */
function isConditional(request: Request): boolean {
  const method = request.method()
  const headers = request.headers()
  if (['GET', 'HEAD', 'OPTIONS'].includes(method)) return true
  if (making.test(`${method} ${new URL(request.url()).pathname}`)) return true
  return 'if-match' in headers || headers['if-none-match'] === '*'
}

/**
 * Complains of a dialog in which nothing has the focus, whatever it shows: Tab would begin at its end, and a screen reader be
 * silent. It looks once what changed was drawn, for only then a control that can't be used any more loses the focus.
 */
const focusWatch = `{
  let isDue = false
  const look = () => {
    isDue = false
    const dialog = document.querySelector('dialog[open]')
    if (dialog && document.activeElement === document.body)
      console.error('nothing has the focus: ' + dialog.innerText.replaceAll(/\\s+/g, ' '))
  }
  const onChange = () => {
    if (isDue) return
    isDue = true
    requestAnimationFrame(() => requestAnimationFrame(look))
  }
  const all = { attributes: true, childList: true, subtree: true }
  new MutationObserver(onChange).observe(document, all)
}`

/** A page that is being looked at, and all that went wrong on it. */
export class Visit implements AsyncDisposable {
  readonly page: Page
  #problems: string[] = []
  #expected: RegExp[] = []
  /** The requests since the page was opened, as `GET /path`. */
  readonly requests: string[] = []

  constructor(page: Page) {
    this.page = page
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        this.#problems.push(message.text())
    })
    page.on('pageerror', (error) => this.#problems.push(String(error)))
    page.on('dialog', (dialog) => {
      this.#problems.push(`a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      const { host, pathname } = new URL(request.url())
      this.requests.push(`${request.method()} ${pathname}`)
      this.hosts.add(host)
      if (!isConditional(request))
        this.#problems.push(`a change of whatever there is: ${request.method()} ${pathname}`)
    })
  }

  /** Everybody who was asked for anything. */
  readonly hosts = new Set<string>()

  /** The browser itself complains of answers that a test wants. */
  expect(...problems: readonly RegExp[]): void {
    this.#expected = [...this.#expected, ...problems]
  }

  /** Leaves the page, so that nothing is asked for any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close()
  }

  /** Begins anew with what went wrong, and with what may. */
  check(): void {
    const problems = this.#problems.filter(
      (problem) => !this.#expected.some((expected) => expected.test(problem)),
    )
    this.#problems = []
    this.#expected = []
    assert.deepEqual(problems, [])
  }

  /** Leaves the view for one that shows nothing, so that nothing is left of it or asked for any more. The page stays. */
  async rest(): Promise<void> {
    await this.page.goto(this.page.url().replace(/#.*|$/, '#/between'))
    await this.says('There is no such page.')
    await this.page.unrouteAll()
    this.requests.length = 0
  }

  /** Waits until the page says so. */
  async says(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor()
  }

  async saysNothingOf(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor({ state: 'hidden' })
  }

  /** Waits until so many of these are there. */
  async shows(selector: string, count: number): Promise<void> {
    await eventually(async () => assert.equal(await this.page.locator(selector).count(), count))
  }

  async press(name: string | RegExp): Promise<void> {
    await this.page
      .getByRole('button', { name, exact: typeof name === 'string' })
      .first()
      .click()
  }

  /** Presses a key on a control, once a press counts there: only then Playwright takes it for enabled. */
  async key(control: Locator, key = 'Enter'): Promise<void> {
    await control.click({ trial: true })
    await control.focus()
    await this.page.keyboard.press(key)
  }

  /** Presses a button that deletes, and says yes to the question that follows. */
  async confirmDeletion(name: string): Promise<void> {
    await this.press(name)
    await this.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  }

  /** Puts a picture of what is in view where HOLDFAST_PICTURES says, if it does. */
  async picture(name: string): Promise<void> {
    const folder = process.env['HOLDFAST_PICTURES']
    if (folder !== undefined) await this.page.screenshot({ path: join(folder, `${name}.png`) })
  }

  count(request: RegExp): number {
    return this.requests.filter((each) => request.test(each)).length
  }
}

const usual: BrowserContextOptions = {
  viewport: { width: 1280, height: 860 },
  // What moves is drawn sixty times a second.
  reducedMotion: 'reduce',
}

/** Lets a request wait until the page has long given up, or been left. */
export const hang = (route: Route): void => {
  setTimeout(() => void route.abort().catch(() => {}), 60_000).unref()
}

/** The browser of this process, for one file after the other: each visit has a profile of its own. It ends with the process. */
let launched: Promise<Browser> | undefined

function launch(): Promise<Browser> {
  const [path] = installed() ?? assert.fail('there is no Chromium: run node scripts/setup.mjs')
  return chromium.launch({ executablePath: path, args: browserArgs, timeout: patienceMs })
}

/** A browser for the tests of a file, which looks at the page as they ask for it. */
export function withBrowser(): {
  /** A page in a profile of its own. It is checked and ended after the test. */
  visit(url: string, options?: BrowserContextOptions): Promise<Visit>
  /**
   * The page that the tests of the file share, for loading it is most of what many of them take. Where there is none yet, or
   * the last test has failed on it, it is loaded and made ready. After each test it is checked, and leaves its view.
   */
  stay(url: string, ready?: (guest: Visit) => Promise<void>): Promise<Visit>
} {
  let browser: Browser
  let shared: Visit | undefined
  const visits: Visit[] = []
  const open = async (url: string, options: BrowserContextOptions = {}): Promise<Visit> => {
    const context = await browser.newContext({ ...usual, ...options })
    context.setDefaultTimeout(patienceMs)
    await context.addInitScript(focusWatch)
    const visit = new Visit(await context.newPage())
    visits.push(visit)
    await visit.page.goto(url)
    return visit
  }
  beforeAll(async () => {
    launched ??= launch()
    browser = await launched
  })
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') shared = undefined
    const seen = visits.splice(0)
    for (const visit of seen) await (visit === shared ? visit.rest() : visit[Symbol.asyncDispose]())
    for (const visit of seen) visit.check()
  })
  afterAll(() => shared?.[Symbol.asyncDispose]())
  return {
    visit: open,
    stay: async (url, ready) => {
      if (shared === undefined) {
        shared = await open(url)
        await ready?.(shared)
      } else {
        visits.push(shared)
        await shared.page.goto(url)
      }
      return shared
    },
  }
}
