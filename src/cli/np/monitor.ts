import type { Command } from '../program/command.ts'
import { withPlans } from './plans.ts'
import { checkSessionArgument, directoryOrNull, sessionArgument } from './session.ts'

export const monitor: Command = {
  name: 'm',
  aliases: ['monitor'],
  about: 'watch a session as it changes, in a terminal',
  details: 'Without a session here it lets you pick one. q quits.',
  arguments: [sessionArgument],
  async run(context) {
    const { args, out, io } = context
    checkSessionArgument(context)
    if (out.isJson || !(await io.stdout.isTerminal()) || !(await io.isInputTerminal()))
      throw context.usageError('The monitor needs a terminal.', 'Use "np p" or "np e" instead.')
    const directory = directoryOrNull(context)
    await withPlans(context, async (plans) => {
      const [given] = args.words
      const here = given === undefined && directory !== null ? plans.find(directory) : null
      const session = given === undefined ? await here : await plans.session(given)
      const { monitor } = await import('../../tui/index.ts')
      const { stdin, stdout } = process
      await monitor({
        plans,
        sid: session?.sid ?? null,
        directory: directory ?? '/',
        stdin,
        stdout,
      })
    })
  },
}
