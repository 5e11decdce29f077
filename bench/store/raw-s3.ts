import { hashes } from '#dist/store/drivers/s3/hashes.js'
import { Signer } from '#dist/store/drivers/s3/sign.js'
import { HttpTransport } from '#dist/store/drivers/s3/transport.js'
import { keysOf, pickId, type Side, times, value, type Workload } from './workload.js'

const requestMsMax = 10_000

/**
 * The same requests by hand, signed, conditional, and nothing else around them. It signs and sends as the driver
 * does: a loop over the package aws4fetch, which signs by Web Crypto, would be slower than the driver itself.
 */
export async function openRawS3(url: string, workload: Workload): Promise<Side> {
  const { hostname: bucket, searchParams } = new URL(url)
  const endpoint = new URL(searchParams.get('endpoint') as string)
  const signer = new Signer(searchParams.get('region') ?? 'us-east-1', hashes)
  const transport = new HttpTransport(endpoint)
  const credentials = {
    accessKeyId: process.env['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: process.env['AWS_SECRET_ACCESS_KEY'] ?? '',
  }
  const send = async (method: string, key: string | undefined, body: Uint8Array) => {
    const path = `/${bucket}/raw/${key}`
    const condition: Record<string, string> = method === 'PUT' ? { 'if-none-match': '*' } : {}
    const headers = { ...condition, host: endpoint.host }
    const unsigned = { method, path, query: '', headers, body }
    const signed = signer.sign(unsigned, credentials, Date.now())
    const outgoing = { method, target: path, headers: signed, body, timeoutMs: requestMsMax }
    const { status, body: answer } = await transport.send(outgoing)
    if (status !== 200) throw new Error(new TextDecoder().decode(answer))
  }
  const nothing = new Uint8Array()
  return {
    commits: ({ lane, from, count }) =>
      times(count, workload.inFlight, (step) =>
        send('PUT', keysOf(lane, from + step, 1)[0], value),
      ),
    gets: (reading) =>
      times(reading.count, workload.getsInFlight, (step) =>
        send('GET', keysOf(reading.lane, pickId(step, reading), 1)[0], nothing),
      ),
    scans: async () => 0,
    close: async () => transport.close(),
  }
}
