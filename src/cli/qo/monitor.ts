import type { Command } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { Ending } from '../program/ending.ts'
import { Progress } from '../program/progress.ts'
import { Log } from './log.ts'
import { metricsOption, metricsPortOf, serveMetrics } from './metrics-server.ts'
import { library } from './queue.ts'
import { openMeasured, openQueueStore } from './store.ts'
import { monitorOptions, monitorSettingsOf } from './worker/monitor-options.ts'

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
  using ending = new Ending()
  await using serving =
    port === undefined
      ? null
      : await serveMetrics(context, port, { render: () => running.metrics.render(), gauges })
  log.info('The monitor is at work')
  if (serving) log.info(`Metrics are at ${serving.url}`, { url: serving.url })
  running.start()
  const why = await Promise.race([ending.asked, log.readerGone.then(() => 'a closed output')])
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
