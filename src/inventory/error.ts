import { Refusal } from '../collection/index.ts'

/** What was given as an export is none, or not a whole one, or one that a newer Holdfast wrote. */
export class BadExportError extends Refusal {
  override readonly name = 'BadExportError'
  readonly kind = 'invalid'
}

/** The store has documents of a model already. */
export class NotEmptyError extends Refusal {
  override readonly name = 'NotEmptyError'
  readonly kind = 'refused'
}
