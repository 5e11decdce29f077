/** Text that is harmless in HTML. */
export interface Html {
  readonly text: string
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A template whose holes are escaped, unless they are HTML or lists of it. */
export function html(
  parts: TemplateStringsArray,
  ...holes: readonly (string | number | Html | readonly Html[])[]
): Html {
  const filled = parts.map((part, at) => `${part}${at < holes.length ? textOf(holes[at]!) : ''}`)
  return { text: filled.join('') }
}

function textOf(hole: string | number | Html | readonly Html[]): string {
  if (Array.isArray(hole)) return (hole as readonly Html[]).map(({ text }) => text).join('')
  if (typeof hole === 'object') return (hole as Html).text
  return String(hole).replace(/[&<>"']/g, (character) => entities[character] as string)
}

/** What is between backticks as code. */
export function prose(text: string): Html {
  const parts = text.split('`')
  return html`${parts.map((part, at) => (at % 2 ? html`<code>${part}</code>` : html`${part}`))}`
}
