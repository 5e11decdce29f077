import type { Context } from './context.ts'
import { UnsafeFileError } from './own-token.ts'

/** How long the program on a port may take to say what it is. */
const neighbourMsMax = 5_000

/** Explains why the server can't listen. If one of ours has the port, says which. */
export async function listeningFailure(context: Context, error: unknown): Promise<unknown> {
  const { ListenError } = await import('../../http/index.ts')
  if (!(error instanceof ListenError)) return error
  const { message, next, taken } = error
  if (error.isUnusableFile) return new UnsafeFileError(message, next)
  if (taken === null) return context.usageError(message, next)
  const title = await neighbour(taken)
  const whose = title === null ? '' : `It is ${title}: open ${taken}${pages[title]} to see it. `
  const other = 'Take another port with --port N, or any that is free with --port 0.'
  return context.usageError(message, whose + other)
}

/** What each of our servers shows to a browser. */
const pages = { Holdfast: '/', coven: '/docs' } as const

/** What listens there, by its description of itself; null for all that has none. */
async function neighbour(url: string): Promise<keyof typeof pages | null> {
  try {
    const signal = AbortSignal.timeout(neighbourMsMax)
    const answer = await fetch(`${url}/openapi.json`, { signal })
    const { info } = (await answer.json()) as { info?: { title?: unknown } }
    return info?.title === 'Holdfast' || info?.title === 'coven' ? info.title : null
  } catch {
    return null
  }
}
