import { refusal } from '../collection/index.ts'

/** What was given as an export is none, or not a whole one, or one that a newer Holdfast wrote. */
export class BadExportError extends refusal('BadExportError', 'invalid') {}

/** The store has documents of a model already. */
export class NotEmptyError extends refusal('NotEmptyError', 'refused') {}
