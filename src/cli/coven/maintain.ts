import type { MaintenanceReport } from '../../tree/internal.ts'
import type { Command } from '../program/command.ts'
import { withTree } from './tree.ts'
import { workspaceOf } from './workspace.ts'

export const maintain: Command = {
  name: 'maintain',
  about: 'take stale claims back, and delete what has been closed for long',
  details:
    '"coven serve" does it every 5 minutes. .coven/config.yaml says when: claim_timeout (30m), task_store.retention_days (30, 0 for never) and task_store.soft_delete_days (7).',
  async run(context) {
    const { config } = await workspaceOf(context)
    const report = await withTree(context, (tree) => tree.maintain(), config)
    const { released, softDeleted, hardDeleted, restored, completed } = report
    const also = restored.length === 0 ? {} : { restored }
    context.out.confirm({
      kind: 'maintenance',
      data: { released, soft_deleted: softDeleted, hard_deleted: hardDeleted, completed, ...also },
      lines: linesOf(report),
    })
  },
}

/** How many of a kind are named one by one. */
const namedMax = 20

function linesOf(report: MaintenanceReport): string[] {
  const { released, softDeleted, hardDeleted, restored, completed } = report
  return [
    ...named(released, 'Released task'),
    ...named(softDeleted, 'Soft-deleted task'),
    ...named(hardDeleted, 'Hard-deleted task'),
    ...named(restored, 'Restored with its family task'),
    ...named(completed, 'Completed the deletion of task'),
    `Maintained: ${released.length} released, ${softDeleted.length} soft-deleted, ${hardDeleted.length} hard-deleted`,
  ]
}

function named(ids: readonly string[], what: string): string[] {
  const lines = ids.slice(0, namedMax).map((id) => `${what} ${id}`)
  const rest = ids.length - lines.length
  return rest === 0 ? lines : [...lines, `${what} and ${rest} more`]
}
