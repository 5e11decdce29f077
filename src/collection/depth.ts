/** Whether brackets outside of strings open more often than that before they are closed. */
export function isDeeper(text: string, max: number): boolean {
  if (text.length <= 2 * max) return false
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (isInString) {
      if (character === backslash) at++
      else if (character === quote) isInString = false
    } else if (character === quote) isInString = true
    else if (character === bracket || character === brace) {
      if (++depth > max) return true
    } else if (character === bracketEnd || character === braceEnd) depth--
  }
  return false
}

const [quote, backslash] = [0x22, 0x5c]
const [bracket, bracketEnd, brace, braceEnd] = [0x5b, 0x5d, 0x7b, 0x7d]
