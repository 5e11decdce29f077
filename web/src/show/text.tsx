import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

/*
 * What others wrote is shown as text, never as markup. Characters that turn the direction of what follows, or that can't be
 * seen, are shown by their numbers: a name must not look like another one.
 */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

export const plain = (text: string): string =>
  text
    .toWellFormed()
    .replace(
      unseen,
      (character) =>
        `⟨U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}⟩`,
    )

/** So many of them: "1 task", "2,000 tasks". */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

const shownMax = 2_000

/** A text of any length: a long one is cut, and says so. */
export function LongText({ text, max = shownMax }: { text: string; max?: number }) {
  const [isWhole, setWhole] = useState(false)
  if (text.length <= max || isWhole) return <bdi class="prose">{plain(text)}</bdi>
  return (
    <>
      <bdi class="prose">{plain(text.slice(0, max))}…</bdi>{' '}
      <button type="button" class="link" onClick={() => setWhole(true)}>
        show all {text.length.toLocaleString('en')} characters
      </button>
    </>
  )
}

/** One line of it. */
export const Line = ({ text }: { text: string }) => (
  <bdi class="line">{plain(text.split('\n', 1)[0]?.slice(0, 500) ?? '')}</bdi>
)

/** An id, short; all of it on its title and for whoever copies. */
export function Id({ id, digits = 18 }: { id: string; digits?: number }) {
  return (
    <code class="id" title={id}>
      {plain(id.length > digits ? id.slice(0, digits) : id)}
    </code>
  )
}

export function Copy({ text, label }: { text: string; label: string }) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard?.writeText(text).then(
      () => setDone(true),
      () => setDone(false),
    )
  }
  if (!navigator.clipboard) return null
  return (
    <button type="button" class="link" onClick={copy} aria-label={label}>
      {isDone ? 'copied' : 'copy'}
    </button>
  )
}

/** Names and values, one under the other. */
export const Facts = ({ children }: { children: ComponentChildren }) => (
  <dl class="facts">{children}</dl>
)

export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
