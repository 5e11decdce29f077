import { replaceTimeAndChance } from './globals.ts'

// Before anything of the product is loaded, for modules may keep what they find.
replaceTimeAndChance()
const { command } = await import('./command.ts')
process.exitCode = await command(process.argv.slice(2))
