import type { Serving } from '../../http/index.ts'
import type { MonitorOptions, TaskGauges } from '../../queue/internal.ts'
import type { Command, Option, Options } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { ShutdownSignal } from '../program/io.ts'
import { durationOf, settingOf, wholeOf } from '../program/option-value.ts'
import { Progress } from '../program/output.ts'
import { Log } from './log.ts'
import { library, openMeasured, openQueueStore } from './queue.ts'

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

export const metricsOption: Option = {
  value: 'PORT',
  about: 'serve metrics to Prometheus on this port of this machine; 0 for any that is free',
}

/** The port that was asked for; undefined for none. */
export const metricsPortOf = async (context: Context): Promise<number | undefined> =>
  wholeOf(context, await settingOf(context, 'metrics'), { min: 0, max: 65_535 })

/** Metrics of the process itself, and of the tasks of the whole store. */
interface MetricsSource {
  readonly render: () => string
  readonly gauges: TaskGauges
}

/** Serves metrics, to this machine alone. A port that is taken is a usage error. */
export async function serveMetrics(
  context: Context,
  port: number,
  { render, gauges }: MetricsSource,
): Promise<Pick<Serving, 'url'> & AsyncDisposable> {
  const http = await import('../../http/index.ts')
  // Counting makes requests, too, which the metrics include.
  const rendered = async () => {
    const counts = await gauges.render()
    return render() + counts
  }
  try {
    return await http.serveMetrics(port, rendered)
  } catch (error) {
    const { message } = ((error as Error).cause ?? error) as Error
    throw context.usageError(
      `Port ${port} can't be used for metrics: ${message}.`,
      'Choose another one, or 0.',
    )
  }
}

export const monitor: Command = {
  name: 'monitor',
  about: 'take tasks back from dead workers, and put the indexes right',
  details:
    'Workers have one built in; any number may run. It runs until SIGTERM or Ctrl-C, or with --once looks at everything once. QO_MONITOR_CHECK_INTERVAL, QO_MONITOR_WORKER_HEALTH_THRESHOLD, QO_MONITOR_SWEEP_INTERVAL and QO_MONITOR_SWEEP_PAGE_SIZE stand in for options that are left out, and so do keys of the settings files with the names of the options.',
  options: {
    ...monitorOptions,
    once: { about: 'look once, sweep all of it, and end' },
    metrics: metricsOption,
  },
  exclusive: [['once', 'metrics']],
  examples: ['qo monitor --check-interval 10 --sweep-interval 5m', 'qo monitor --once'],
  async run(context) {
    // Who asks for metrics here and now does not mean the "once" of a file.
    const isMeasured = context.args.has('metrics')
    const isOnce = context.args.has('once') || (!isMeasured && (await context.isOn('once')))
    await (isOnce ? runOnce(context) : runOn(context))
  },
}

async function runOn(context: Context): Promise<void> {
  const log = await Log.of(context)
  const settings = await monitorSettingsOf(context)
  const port = await metricsPortOf(context)
  const { Monitor, TaskGauges } = await library()
  await using store = await openMeasured(context, port)
  const onWarning = (warning: string) => log.warn(warning)
  const gauges = new TaskGauges(store)
  await using running = new Monitor(store, { ...settings, onWarning })
  using shutdown = new ShutdownSignal()
  await using serving =
    port === undefined
      ? null
      : await serveMetrics(context, port, { render: () => running.metrics.render(), gauges })
  log.info('The monitor is at work')
  if (serving) log.info(`Metrics are at ${serving.url}`, { url: serving.url })
  running.start()
  const why = await Promise.race([shutdown.received, log.readerGone.then(() => 'a closed output')])
  log.info(`Ending on ${why}`)
}

async function runOnce(context: Context): Promise<void> {
  const settings = await monitorSettingsOf(context)
  const { Monitor } = await library()
  await using store = await openQueueStore(context)
  const onWarning = (warning: string) => context.out.warn(warning)
  await using looking = new Monitor(store, { ...settings, onWarning })
  const { expired, stale } = await looking.check()
  const swept = { missing: 0, stale: 0, purged: 0 }
  using progress = await Progress.of(context, 'Sweeping')
  for (let steps = 1, isThrough = false; !isThrough; steps++) {
    const report = await looking.sweep()
    swept.missing += report.missing
    swept.stale += report.stale
    swept.purged += report.purged
    isThrough = report.isThrough
    progress.at(steps * (settings.sweepPageSize ?? 1_000))
  }
  context.out.answer({
    kind: 'repair',
    data: { expired, stale_workers: stale, ...swept },
    lines: [
      `Expired leases: ${expired.length}, silent workers: ${stale.length}`,
      `Index entries: ${swept.missing} were missing, ${swept.stale} were stale; removed ones that were purged: ${swept.purged}`,
    ],
  })
}
