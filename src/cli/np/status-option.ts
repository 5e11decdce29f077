import type { Option } from '../program/command.ts'

/** Words that mean the same, such as `done`, are taken as well; the model knows them. */
export const statusOption: Option = {
  short: 's',
  value: 'STATUS',
  about: 'pending, in_progress, completed, failed or cancelled',
  completes: ['pending', 'in_progress', 'completed', 'failed', 'cancelled'],
}
