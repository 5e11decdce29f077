import type { Command } from '../program/command.ts'
import { yesOption } from '../program/input.ts'

export const trust: Command = {
  name: 'trust',
  about: 'trust the settings of a directory, after showing them',
  details:
    'A .holdfast.yaml needs trust if it names a store outside its folder, or runs, exposes or reveals something; .coven/config.yaml and .coven/grimoire-matchers.yaml need it for a store outside their workspace. Shows what the file says and where data and credentials would go. On a terminal it asks first; elsewhere it trusts at once. A file that is changed or moved must be trusted again.',
  arguments: [
    { name: 'FILE', about: 'the file (default: the nearest .holdfast.yaml)', isOptional: true },
  ],
  options: {
    list: { about: 'show the files that are trusted' },
    revoke: { about: 'stop trusting the file, even if it is gone' },
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
