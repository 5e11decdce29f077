import { useEffect } from 'preact/hooks'
import type { Route } from './route.ts'
import { plain } from './show/text.tsx'

const partMax = 80

/** The title of a view in the tab, in the history and for screen readers: the narrowest word first. */
export function setTitle(parts: readonly (string | undefined)[]): void {
  const given = parts.filter((part) => part !== undefined && part !== '') as string[]
  const short = given.map((part) => (part.length > partMax ? `${part.slice(0, partMax)}…` : part))
  document.title = plain([...short, 'Holdfast'].join(' · '))
}

/** A title that only what was read can tell; until then it is what the address says. */
export function useTitle(name: string | undefined, section: string): void {
  useEffect(() => {
    if (name !== undefined) setTitle([name, section])
  }, [name, section])
}

/** What the address says of a view. */
export function titleOf({ path, query }: Route): (string | undefined)[] {
  const [section = 'queue', part, id] = path
  const { status, type, shard, text, tag, show } = query
  const filter = [status, type, shard && `shard ${shard}`, text && `“${text}”`]
  if (section === 'queue') {
    if (part === 'task') return [`Task ${id ?? ''}`, 'Queue']
    if (part === 'tasks') return [['Tasks', ...filter.filter(Boolean)].join(', '), 'Queue']
    return part === 'workers' ? ['Workers', 'Queue'] : ['Queue']
  }
  if (section === 'tree') {
    if (part === 'task') return [`Task ${id ?? ''}`, 'Tree']
    return part === 'board' ? ['Board', 'Tree'] : ['Tree']
  }
  if (section === 'plans') return part === undefined ? ['Plans'] : [`Plan ${part}`, 'Plans']
  if (section === 'jobs') return part === undefined ? [status, 'Jobs'] : [`Job ${part}`, 'Jobs']
  if (section === 'lists') return [[tag, show].filter(Boolean).join(', '), 'List']
  return []
}
