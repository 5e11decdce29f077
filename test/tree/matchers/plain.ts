import type { RoutedTask } from '../../../src/tree/matchers/index.ts'

/** A task that no rule but a catch-all speaks of. */
export const plain: RoutedTask = {
  title: 'A task',
  body: null,
  type: 'task',
  priority: 2,
  tags: [],
  grimoire_hint: null,
  parent_id: null,
}
