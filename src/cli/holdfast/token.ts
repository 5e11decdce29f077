import type { Command } from '../program/command.ts'
import { add } from './token/add.ts'
import { list } from './token/list.ts'
import { open } from './token/open.ts'
import { revoke } from './token/revoke.ts'

export const token: Command = {
  name: 'token',
  about: 'add, list and revoke the named tokens that servers of a store accept',
  details:
    'From the first token on, every request to a server of the store needs one. Changes count on all servers within a second. They say who may use a server: whoever can open the store itself needs none.',
  commands: [add, list, revoke, open],
  examples: ['holdfast token add ci --role work --expires 90d', 'holdfast token list'],
}
