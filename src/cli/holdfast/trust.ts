import type { Command } from '../program/command.ts'
import { yesOption } from '../program/confirmation.ts'

export const trust: Command = {
  name: 'trust',
  about: 'let the settings in a file of a directory count, after a look at them',
  details:
    'A .holdfast.yaml that names a store outside its folder, or runs, exposes or reveals something, does not count before that, nor do .coven/config.yaml and .coven/grimoire-matchers.yaml for a store outside their workspace. It shows what the file says and where data and credentials would go. On a terminal it asks; elsewhere it trusts at once. What counts is the file as it is now: once it is changed or moved, it must be trusted again.',
  arguments: [{ name: 'FILE', about: 'the nearest .holdfast.yaml if left out', isOptional: true }],
  options: {
    list: { about: 'show the files that are trusted' },
    revoke: { about: 'trust the file no longer; it need not be there any more' },
    ...yesOption,
  },
  exclusive: [['list', 'revoke']],
  examples: [
    'holdfast trust',
    'holdfast trust .coven/config.yaml',
    'holdfast trust --list',
    'holdfast trust --revoke',
  ],
  async run(context) {
    const { listTrusted, revokeTrust, trustFile } = await import('./trust/verbs.ts')
    if (context.args.has('list')) await listTrusted(context)
    else if (context.args.has('revoke')) await revokeTrust(context)
    else await trustFile(context)
  },
}
