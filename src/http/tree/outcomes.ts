import { ref } from '../../schema/index.ts'
import { pageHeaders } from '../paging.ts'
import type { Outcome } from '../route.ts'

const etag = { ETag: 'The version of the task, for If-Match and If-None-Match.' }

/** The task, as it is now. */
export const taskOutcome: Readonly<Record<number, Outcome>> = {
  200: { about: 'The task, as it is now.', schema: ref('Task'), headers: etag },
}

/** The same after a change. */
export const changedOutcome: Readonly<Record<number, Outcome>> = {
  200: {
    about: 'The task, as it is now.',
    schema: ref('Task'),
    headers: { ...etag, 'X-Changed': '`false` if the task already was as asked.' },
  },
}

/** The same after a restoration, which says how many came back. */
export const restoredOutcome: Readonly<Record<number, Outcome>> = {
  200: {
    ...changedOutcome[200],
    about: 'The task, as it is now, and how many tasks were brought back.',
    schema: ref('RestoredTask'),
  },
}

export const createdOutcome: Readonly<Record<number, Outcome>> = {
  201: {
    about: 'The new task.',
    schema: ref('Task'),
    headers: { ...etag, Location: 'Where the task is.' },
  },
}

export const listOutcome = (about: string, name = 'Task'): Readonly<Record<number, Outcome>> => ({
  200: { about, schema: { type: 'array', items: ref(name) }, headers: pageHeaders },
})

/** What a route that names a task can refuse with, and one that changes it. */
export const onReading = ['INVALID_ID', 'TASK_NOT_FOUND']
export const onChanging = [...onReading, 'MISSING_AGENT', 'PRECONDITION_FAILED']
