import { type ApiError, JetStreamApiError } from '@nats-io/jetstream'
import { compareKeys } from '../../key.ts'
import type { Connection } from './connection.ts'

/** How many subjects a page repeats of the one before. */
const overlapMax = 1_000

/** Some of the subjects that a stream has, in order, and how many there are. */
interface SubjectPage {
  readonly subjects: readonly string[]
  readonly total: number
}

interface StreamInfoAnswer {
  readonly error?: ApiError
  readonly total?: number
  readonly state?: { readonly subjects?: Readonly<Record<string, number>> }
}

/** A page of the subjects that match, from the leader of a stream: 100,000 of them from this one on. */
export async function subjectPage(
  { nats, manager }: Connection,
  { stream, filter, offset }: { stream: string; filter: string; offset: number },
): Promise<SubjectPage> {
  const { apiPrefix, timeout = 0 } = manager.getOptions()
  const query = JSON.stringify({ subjects_filter: filter, offset })
  const message = await nats.request(`${apiPrefix}.STREAM.INFO.${stream}`, query, { timeout })
  const { error, state, total = 0 } = message.json<StreamInfoAnswer>()
  if (error) throw new JetStreamApiError(error)
  return { subjects: Object.keys(state?.subjects ?? {}), total }
}

/**
 * All subjects, page by page. A page begins after so many subjects, whichever these are by then: where the mark of a
 * removal expires in between, those behind it move up, and one is passed over. So pages overlap, and one that does not reach
 * back to the page before is asked for again from further ahead.
 */
export async function allSubjects(
  pageAt: (offset: number) => Promise<SubjectPage>,
): Promise<Set<string>> {
  const found = new Set<string>()
  let last: string | undefined
  for (let offset = 0; ; ) {
    const { subjects, total } = await pageAt(offset)
    const [first] = subjects
    if (offset > 0 && (first === undefined || compareKeys(first, last as string) > 0)) {
      offset >>= 1
      continue
    }
    for (const subject of subjects) found.add(subject)
    if (offset + subjects.length >= total) return found
    last = subjects.at(-1)
    offset += subjects.length - Math.min(overlapMax, subjects.length >> 1)
  }
}
