import { checkedText, textBytesMax } from '../collection/index.ts'
import { InvalidTaskError } from './error.ts'

/** A text as it is stored. Throws {@link InvalidTaskError}. */
export const checkText = (given: string): string =>
  checkedText(
    given,
    { noun: 'the text', bytesMax: textBytesMax },
    (what, next) => new InvalidTaskError(what, next),
  )
