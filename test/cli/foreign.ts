import { lchownSync } from 'node:fs'
import { vi } from 'vitest'

const strangerUid = 54_321

/** Makes paths another user's. Only root can give files away; for anybody else this process becomes the stranger. */
export function giveAway(...paths: readonly string[]): void {
  if (process.getuid?.() === 0) for (const path of paths) lchownSync(path, strangerUid, strangerUid)
  else vi.spyOn(process, 'getuid').mockReturnValue(strangerUid)
}
