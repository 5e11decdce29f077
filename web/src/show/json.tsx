import { useState } from 'preact/hooks'
import { LongText, plain } from './text.tsx'

/** What is opened from the start: this deep, and no larger than this. */
const openDepth = 2
const openChildrenMax = 30
/** How many children are shown at a time: a list of a million must not stop the page. */
const pageSize = 100

type Child = readonly [name: string, value: unknown]

/** How many, without making a list of a million names for it. */
const countOf = (value: object): number =>
  Array.isArray(value) ? value.length : Object.keys(value).length

const childrenOf = (value: object, limit: number): Child[] =>
  Array.isArray(value)
    ? value.slice(0, limit).map((child, at) => [String(at), child] as const)
    : Object.keys(value)
        .slice(0, limit)
        .map((name) => [name, (value as Record<string, unknown>)[name]] as const)

/** Any JSON as a tree, of which only what is open is there at all. */
export const JsonTree = ({ value, label }: { value: unknown; label: string }) => (
  <section class="json" aria-label={label}>
    <JsonNode name={null} value={value} depth={0} />
  </section>
)

function JsonNode({ name, value, depth }: { name: string | null; value: unknown; depth: number }) {
  if (typeof value === 'object' && value !== null)
    return <Branch name={name} value={value} depth={depth} />
  return (
    <div class="leaf">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  )
}

const Name = ({ name }: { name: string | null }) =>
  name === null ? null : (
    <>
      <bdi class="json-name">{plain(name.slice(0, 200))}</bdi>
      <span class="soft">: </span>
    </>
  )

function Leaf({ value }: { value: unknown }) {
  if (typeof value === 'string')
    return (
      <span class="json-text">
        “<LongText text={value} />”
      </span>
    )
  return <span class={`json-${value === null ? 'null' : typeof value}`}>{String(value)}</span>
}

function Branch({ name, value, depth }: { name: string | null; value: object; depth: number }) {
  const count = countOf(value)
  const [isOpen, setOpen] = useState(depth < openDepth && count <= openChildrenMax)
  const [limit, setLimit] = useState(pageSize)
  const [before, after] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (count === 0)
    return (
      <div class="leaf">
        <Name name={name} />
        <span class="soft">
          {before}
          {after}
        </span>
      </div>
    )
  return (
    <div class="branch">
      <button
        type="button"
        class="json-toggle"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span class="caret" aria-hidden="true" />
        <Name name={name} />
        <span class="soft">
          {isOpen ? before : `${before} ${count.toLocaleString('en')} ${after}`}
        </span>
      </button>
      {isOpen && (
        <div class="json-children">
          {childrenOf(value, limit).map(([child, each]) => (
            <JsonNode key={child} name={child} value={each} depth={depth + 1} />
          ))}
          {count > limit && (
            <button type="button" class="link" onClick={() => setLimit(limit + pageSize)}>
              {(count - limit).toLocaleString('en')} more
            </button>
          )}
          <span class="soft">{after}</span>
        </div>
      )}
    </div>
  )
}
