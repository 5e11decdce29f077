import type { Serving } from '../../http/index.ts'
import type { TaskGauges } from '../../queue/internal.ts'
import type { Option } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { settingOf, wholeOf } from './setting.ts'

export const metricsOption: Option = {
  value: 'PORT',
  about: 'serve metrics to Prometheus on this port of this machine; 0 for any that is free',
}

/** The port that was asked for; undefined for none. */
export const metricsPortOf = async (context: Context): Promise<number | undefined> =>
  wholeOf(context, await settingOf(context, 'metrics'), { min: 0, max: 65_535 })

/** What is told: of the process itself, and of the tasks of the whole store. */
export interface Measured {
  readonly render: () => string
  readonly gauges: TaskGauges
}

/** Serves metrics, to this machine alone. A port that is taken is a usage error. */
export async function serveMetrics(
  context: Context,
  port: number,
  { render, gauges }: Measured,
): Promise<Pick<Serving, 'url'> & AsyncDisposable> {
  const http = await import('../../http/index.ts')
  // What the counting asks of the store is among the requests that are told.
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
