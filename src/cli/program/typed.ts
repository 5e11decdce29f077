import { shownUrl, withoutSecrets } from '../../store/internal.ts'

/** What was typed, as an error may quote it: the start of it, and no secret if it is a URL that stands in the wrong place. */
export function typed(text: string, charactersMax = 40): string {
  const isUrl = /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(text)
  return (isUrl ? shownUrl(text.trim()) : withoutSecrets(text)).slice(0, charactersMax)
}
