import { replaceTimeAndChance } from './globals.ts'

const args = process.argv.slice(2)
if (args[0] === '--bugs') {
  const { seekBugs } = await import('./seeded-bugs.ts')
  process.exitCode = await seekBugs(args.slice(1))
} else {
  // Before anything of the product is loaded, for modules may keep what they find.
  replaceTimeAndChance()
  const { command } = await import('./command.ts')
  process.exitCode = await command(args)
}
