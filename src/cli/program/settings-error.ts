import { UsageError } from './usage-error.ts'

/** A settings file that can't be used: broken, or nothing that settings are read from. */
export class SettingsError extends UsageError {}
