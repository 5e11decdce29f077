import { checkedText, textBytesMax, titleCharactersMax } from '../collection/index.ts'
import { InvalidPlanError } from './error.ts'

const refuse = (what: string, next: string) => new InvalidPlanError(what, next)

export const checkTitle = (given: string): string =>
  checkedText(given, { noun: 'the title', titleCharactersMax }, refuse)

export const checkDescription = (given: string): string =>
  checkedText(given, { noun: 'the description', bytesMax: textBytesMax, mayBeEmpty: true }, refuse)

/** None where none was given; an empty one is refused. */
export const checkReason = (given: string | null | undefined): string | null =>
  given === null || given === undefined
    ? null
    : checkedText(given, { noun: 'the reason', bytesMax: textBytesMax }, refuse)
