import { useLayoutEffect, useRef } from 'preact/hooks'
import { LongText } from './text.tsx'
import type { Difference } from './trait.ts'

const shownMax = 400

/** What somebody else has made of it, and what whoever types would. */
export function Versions({ differences }: { differences: readonly Difference[] }) {
  const element = useRef<HTMLElement>(null)
  // The fields have gone, and with them what had the focus. Where theirs has changed again, nobody overwrites it unseen.
  useLayoutEffect(() => element.current?.focus(), [differences])
  return (
    <section class="versions" ref={element} tabIndex={-1} aria-label="Both versions">
      <div class="notice warn">
        <p>
          <strong>Someone else changed this while you were typing.</strong> Nothing was saved yet.
          Overwriting replaces only what you changed.
        </p>
      </div>
      {differences.map(({ label, theirs, yours, before }) => (
        <dl key={label}>
          <dt>{label}</dt>
          <dd class="theirs">
            <span class="version-of">Theirs</span> <Text text={theirs} />
          </dd>
          <dd class="yours">
            <span class="version-of">Yours</span>{' '}
            {yours === null ? (
              <span class="soft">
                not changed; it was <Text text={before} />
              </span>
            ) : (
              <Text text={yours} />
            )}
          </dd>
        </dl>
      ))}
    </section>
  )
}

const Text = ({ text }: { text: string }) =>
  text === '' ? <span class="soft">(empty)</span> : <LongText text={text} max={shownMax} />
