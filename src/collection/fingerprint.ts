const offsets = [0x811c9dc5, 0x9747b28c]
const prime = 0x01000193

/**
 * What a state looks like as 16 hex digits, so that whoever saw it can say which one they mean. It works in browsers, too, and
 * need not withstand anybody who wants two states to look alike: who can write them has no need to.
 */
export function fingerprint(state: readonly unknown[]): string {
  const text = JSON.stringify(state)
  return offsets.map((offset) => fnv1a(text, offset)).join('')
}

function fnv1a(text: string, offset: number): string {
  let hash = offset
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), prime)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
