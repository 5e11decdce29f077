import { AwsClient } from 'aws4fetch'
import type { S3Account } from '../../servers/s3.ts'

/** Short-lived credentials that may do no more than a policy says, put where the driver looks for them. */
export async function assumeRole(account: S3Account, policy: string): Promise<void> {
  const { accessKeyId, secretAccessKey, endpoint } = account
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    service: 'sts',
    region: 'us-east-1',
  })
  const body = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    DurationSeconds: '3600',
    Policy: policy,
  }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const text = await (await client.fetch(endpoint, { method: 'POST', headers, body })).text()
  const field = (name: string) => new RegExp(`<${name}>(.*?)</${name}>`).exec(text)?.[1] as string
  process.env['AWS_ACCESS_KEY_ID'] = field('AccessKeyId')
  process.env['AWS_SECRET_ACCESS_KEY'] = field('SecretAccessKey')
  process.env['AWS_SESSION_TOKEN'] = field('SessionToken')
}
