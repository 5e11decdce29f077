const stringForm = /"(?:[^"\\]|\\.)*"/y
const valueForm = /[^\s,\]}]+/y

/** Where the bracket of the value stands that the keys lead to, in text that is JSON; null where they lead nowhere. */
export function bracketOf(text: string, keys: readonly string[]): number | null {
  let at = skipSpace(text, text.startsWith('\uFEFF') ? 1 : 0)
  for (const key of keys) {
    const next = valueUnder(text, at, key)
    if (next === null) return null
    at = next
  }
  return at
}

/** Where the value of a key begins, in the object that begins here; the last one where a key stands twice. */
function valueUnder(text: string, start: number, key: string): number | null {
  if (text[start] !== '{') return null
  let found: number | null = null
  let at = skipSpace(text, start + 1)
  while (text[at] === '"') {
    const end = endOf(stringForm, text, at)
    const colon = skipSpace(text, end)
    const value = skipSpace(text, colon + 1)
    if (JSON.parse(text.slice(at, end)) === key) found = value
    at = skipSpace(text, endOfValue(text, value))
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return found
}

/** Brackets are counted outside of strings: what is between them is JSON already. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  let at = start
  do {
    at = skipSpace(text, at)
    const character = text[at] as string
    if (character === '"') at = endOf(stringForm, text, at)
    else if ('{['.includes(character)) {
      depth++
      at++
    } else if ('}]'.includes(character)) {
      depth--
      at++
    } else if (',:'.includes(character)) at++
    else at = endOf(valueForm, text, at)
  } while (depth > 0)
  return at
}

function endOf(form: RegExp, text: string, at: number): number {
  form.lastIndex = at
  form.exec(text)
  return form.lastIndex
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (/\s/.test(text[at] ?? '')) at++
  return at
}
