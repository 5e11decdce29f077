import type { MonitorOptions } from '../../../queue/internal.ts'
import type { Options } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { durationOf, settingOf, wholeOf } from '../setting.ts'

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

export const healthThresholdOf = async (context: Context): Promise<number | undefined> =>
  durationOf(context, await settingOf(context, 'worker-health-threshold'), { ...upToADay, min: 10 })

/** What options, variables and files say. */
export const monitorSettingsOf = async (context: Context): Promise<MonitorOptions> => ({
  checkIntervalMs: durationOf(context, await settingOf(context, 'check-interval'), {
    ...upToADay,
    min: 100,
    hint: '100ms to 1 day',
  }),
  healthThresholdMs: await healthThresholdOf(context),
  sweepIntervalMs: durationOf(context, await settingOf(context, 'sweep-interval'), upToADay),
  sweepPageSize: wholeOf(context, await settingOf(context, 'sweep-page-size'), {
    min: 1,
    max: 100_000,
  }),
})
