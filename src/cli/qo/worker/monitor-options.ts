import type { MonitorOptions } from '../../../queue/index.ts'
import type { Options } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { durationOf, wholeOf } from '../setting.ts'

const dayMs = 86_400_000
const upToADay = { max: dayMs, hint: 'up to 1 day' }

export const healthThresholdOption = {
  'worker-health-threshold': {
    value: 'TIME',
    about: 'how long a worker may be silent; 60s if left out',
  },
} as const satisfies Options

/** How a monitor works; an embedded one takes the same. */
export const monitorOptions = {
  'check-interval': {
    value: 'TIME',
    about: 'how often to look for expired leases; 30s if left out',
  },
  ...healthThresholdOption,
  'sweep-interval': {
    value: 'TIME',
    about: 'how often to go on putting the indexes right; 300s if left out, 0 for never',
  },
  'sweep-page-size': { value: 'N', about: 'how much of them at a time; 1000 if left out' },
} as const satisfies Options

export const healthThresholdOf = (context: Context): number | undefined =>
  durationOf(
    context,
    { option: 'worker-health-threshold', variable: 'QO_MONITOR_WORKER_HEALTH_THRESHOLD' },
    { ...upToADay, min: 10 },
  )

/** What options and variables say. */
export const monitorSettingsOf = (context: Context): MonitorOptions => ({
  checkIntervalMs: durationOf(
    context,
    { option: 'check-interval', variable: 'QO_MONITOR_CHECK_INTERVAL' },
    { ...upToADay, min: 100, hint: '100ms to 1 day' },
  ),
  healthThresholdMs: healthThresholdOf(context),
  sweepIntervalMs: durationOf(
    context,
    { option: 'sweep-interval', variable: 'QO_MONITOR_SWEEP_INTERVAL' },
    upToADay,
  ),
  sweepPageSize: wholeOf(
    context,
    { option: 'sweep-page-size', variable: 'QO_MONITOR_SWEEP_PAGE_SIZE' },
    { min: 1, max: 100_000 },
  ),
})
