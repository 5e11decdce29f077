import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TaskGauges } from '../../queue/index.ts'
import type { Option } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { settingOf, wholeOf } from './setting.ts'

const host = '127.0.0.1'

export const metricsOption: Option = {
  value: 'PORT',
  about: 'serve metrics to Prometheus on this port of this machine; 0 for any that is free',
}

/** The port that was asked for; undefined for none. */
export const metricsPortOf = async (context: Context): Promise<number | undefined> =>
  wholeOf(context, await settingOf(context, 'metrics'), { min: 0, max: 65_535 })

export interface MetricsServer extends AsyncDisposable {
  readonly url: string
}

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
): Promise<MetricsServer> {
  const server = createServer(({ method, url = '' }, response) => {
    const isRead = method === 'GET' || method === 'HEAD'
    const isKnown = /^\/(metrics)?(\?|$)/.test(url)
    if (!isRead || !isKnown) {
      response.writeHead(isRead ? 404 : 405, { 'content-type': 'text/plain' })
      response.end('GET /metrics\n')
      return
    }
    const write = (text?: string) => {
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
      response.end(text)
    }
    if (method === 'HEAD') write()
    // What the counting asks of the store is among the requests that are told.
    else void gauges.render().then((counts) => write(render() + counts))
  })
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    throw context.usageError(
      `Port ${port} can't be used for metrics: ${(error as Error).message}.`,
      'Choose another one, or 0.',
    )
  }
  const { port: actual } = server.address() as AddressInfo
  return {
    url: `http://${host}:${actual}/metrics`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
