import assert from 'node:assert/strict'
import { hang, type Visit } from './browser.ts'
import type { Served } from './served.ts'

/** What somebody looks at, and what they do to it after somebody else was faster. */
export interface Behind {
  readonly name: string
  /** Makes the thing, and says where it is seen and by which words. */
  readonly ready: () => Promise<{ id: string; path: string; sees: string }>
  readonly meanwhile: (id: string) => Promise<unknown>
  readonly act: (guest: Visit) => Promise<unknown>
  /** All there is to know of it. */
  readonly now: (id: string) => Promise<unknown>
  /** Whether the view reads tasks of the tree once more, one by one, before it changes them. */
  readonly isReadFirst?: true
}

/** Nothing of what happens meanwhile reaches the page; so what is done there is refused, and the page says so. */
export async function assertUnharmed(
  guest: Visit,
  served: Served,
  { ready, meanwhile, act, now, isReadFirst }: Behind,
): Promise<void> {
  const { id, path, sees } = await ready()
  await guest.page.goto(`${served.url}#/${path}`)
  await guest.says(sees)
  // Once the change is answered, both versions may be read.
  let isFrozen = true
  await guest.page.route(
    ({ pathname }) =>
      pathname.startsWith('/api/') && !(isReadFirst && /^\/api\/tasks\/[^/]+$/.test(pathname)),
    (route) => {
      const isRead = route.request().method() === 'GET'
      if (!isRead) isFrozen = false
      return isRead && isFrozen ? hang(route) : route.fallback()
    },
  )
  await meanwhile(id)
  const before = JSON.stringify(await now(id))
  guest.expect(/40[39]|412/, /ERR_FAILED/)
  await act(guest)
  await guest.says(/Nothing was (changed|saved)|is in progress now/)
  assert.equal(JSON.stringify(await now(id)), before)
}
