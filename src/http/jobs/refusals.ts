import { TaskError } from '../../jobs/internal.ts'
import { type Explain, HttpError } from '../error.ts'
import { explainRefusal } from '../refusals.ts'

/** Refusals of jobs in the words of this API: the library calls a job a task, and names its own methods. */
export const explainJob: Explain = (thrown, method) => {
  const told = explainRefusal(thrown, method)
  if (told === null || !(thrown instanceof TaskError)) return told
  const { what, next } = thrown
  const text = next === null ? ofJob(what) : `${ofJob(what)} ${inRoutes(next)}`
  return new HttpError(told, text, { details: told.details })
}

/** How the library begins to speak of a task. What follows may be anybody's id, key or name, and stays. */
const beginning =
  /^(The claim of worker .* expired after \S+ ms\. |There is (?:no|a) )?([Tt])ask\b/s

const ofJob = (what: string): string =>
  what.replace(beginning, (_, before = '', first) => `${before}${first === 'T' ? 'Job' : 'job'}`)

/** What to do next is the library's own text as a whole. */
const inRoutes = (next: string): string =>
  next
    .replace('Call claim() first.', 'Claim it first.')
    .replace('retry(id, { attempts }) allows', 'a retry with "attempts" allows')
    .replace('retry(id, { attempts: n }) allows', 'a retry with "attempts": n allows')
    .replace('delete(id) removes', 'DELETE removes')
    .replaceAll('claimToken', 'claim_token')
    .replaceAll(/\btask(s?)\b/g, 'job$1')
