import type { Refusal, TreeError, TreeErrorCode } from '../../tree/internal.ts'

/** What agents tell apart beyond what all programs do. */
const exitCodes: Readonly<Partial<Record<TreeErrorCode, number>>> = {
  TASK_NOT_FOUND: 10,
  PARENT_NOT_FOUND: 10,
  INVALID_TRANSITION: 11,
  TASK_ACTIVE: 11,
  HAS_ACTIVE_CHILDREN: 11,
  ALREADY_CLAIMED: 12,
  NOT_CLAIMABLE: 12,
  NOT_CLAIM_OWNER: 13,
  WOULD_CREATE_CYCLE: 14,
}

export const exitCodeOf = (refusal: Refusal): number | undefined =>
  exitCodes[(refusal as Partial<TreeError>).code ?? 'INVALID_BODY']
