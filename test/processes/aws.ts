// aws --endpoint-url URL s3api COMMAND …: what two commands of that program do, for pages that show them and machines
// that do not have it. It asks a real server, by signed requests.
import { AwsClient } from 'aws4fetch'

const [, endpoint, api, command = '', ...rest] = process.argv.slice(2)
const bucket = rest[rest.indexOf('--bucket') + 1]
const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env as Record<string, string>

const versioning = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
const requests: Readonly<Record<string, readonly [string, string | null]>> = {
  'create-bucket': [`/${bucket}`, null],
  'put-bucket-versioning': [`/${bucket}?versioning`, versioning],
}
const request = requests[command]
if (api !== 's3api' || !request) throw new Error(`unknown: ${api} ${command}`)
if (command === 'put-bucket-versioning' && !rest.includes('Status=Enabled'))
  throw new Error('unknown: another versioning')
const client = new AwsClient({
  accessKeyId: AWS_ACCESS_KEY_ID as string,
  secretAccessKey: AWS_SECRET_ACCESS_KEY as string,
  service: 's3',
  region: 'us-east-1',
})
const [path, body] = request
const response = await client.fetch(`${endpoint}${path}`, { method: 'PUT', body })
if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
