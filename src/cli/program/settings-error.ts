import { UsageError } from './usage-error.ts'

/** A settings file that can't be used: broken, nothing that settings are read from, or of a user without a home. */
export class SettingsError extends UsageError {}
