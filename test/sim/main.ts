import { replaceTimeAndChance } from './globals.ts'
import { isUsage } from './usage.ts'

const [mode, ...rest] = process.argv.slice(2)
try {
  if (mode === '--bugs') {
    const { seekBugs } = await import('./seeded-bugs.ts')
    process.exitCode = await seekBugs(rest)
  } else {
    // Before anything of the product is loaded, for modules may keep what they find.
    replaceTimeAndChance()
    // What workers look for once would else be loaded in the middle of the first run.
    await import('@opentelemetry/api')
    const { command, serveParts } = await import('./command.ts')
    if (mode === '--budgets') {
      const { checkBudgets } = await import('./budgets.ts')
      process.exitCode = await checkBudgets(rest)
    } else if (mode === '--part') serveParts(rest)
    else process.exitCode = await command(process.argv.slice(2))
  }
} catch (error) {
  const text = error instanceof Error ? error.stack : error
  process.stderr.write(
    isUsage(error)
      ? `${error.message.replace(/\.?$/, '.')} See npm run sim -- --help.\n`
      : `The simulator itself failed: ${text}\n`,
  )
  process.exitCode = 2
}
