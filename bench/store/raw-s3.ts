import { AwsClient } from 'aws4fetch'
import { keysOf, pickId, type Side, times, value, type Workload } from './workload.js'

/** The same requests by hand, signed and conditional, and nothing else around them. */
export async function openRawS3(url: string, workload: Workload): Promise<Side> {
  const { hostname: bucket, searchParams } = new URL(url)
  const client = new AwsClient({
    accessKeyId: process.env['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: process.env['AWS_SECRET_ACCESS_KEY'] ?? '',
    service: 's3',
    region: searchParams.get('region') ?? 'us-east-1',
    retries: 0,
  })
  const addressOf = (key: string | undefined) =>
    `${searchParams.get('endpoint')}/${bucket}/raw/${key}`
  const send = async (key: string | undefined, init?: RequestInit) => {
    const response = await client.fetch(addressOf(key), init)
    const body = await response.arrayBuffer()
    if (!response.ok) throw new Error(new TextDecoder().decode(body))
  }
  const put = { method: 'PUT', body: value, headers: { 'if-none-match': '*' } }
  return {
    commits: (lane, count) =>
      times(count, workload.inFlight, (id) => send(keysOf(lane, id, 1)[0], put)),
    gets: (lane) =>
      times(workload.gets, workload.getsInFlight, (step) =>
        send(keysOf(lane, pickId(step, workload), 1)[0]),
      ),
    scans: async () => 0,
    close: async () => {},
  }
}
