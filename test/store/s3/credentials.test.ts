import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { inspect } from 'node:util'
import { afterEach, beforeEach, test } from 'vitest'
import { create, openStore } from '../../../src/store/index.ts'
import { sharedMinio } from '../../servers/shared.ts'
import { temporaryFolder } from '../ground.ts'

const variables = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_PROFILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_CONFIG_FILE',
  'AWS_ENDPOINT_URL_STS',
  'AWS_EC2_METADATA_DISABLED',
]
const before = new Map(variables.map((name) => [name, process.env[name]]))
const restore = () => {
  for (const [name, value] of before)
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
}

beforeEach(() => {
  for (const name of variables) delete process.env[name]
  process.env['AWS_EC2_METADATA_DISABLED'] = 'true'
})
afterEach(restore)

for (const profile of ['plain', 'assumed'])
  test(`keys come from a ${profile === 'plain' ? 'profile' : 'role that a profile names'} where the environment has none`, async () => {
    await using folder = await temporaryFolder()
    const account = await sharedMinio()
    const [credentials, config] = [folder.path('credentials'), folder.path('config')]
    await writeFile(
      credentials,
      `[plain]\naws_access_key_id=${account.accessKeyId}\naws_secret_access_key=${account.secretAccessKey}\n`,
    )
    await writeFile(
      config,
      `[profile plain]\nregion=us-east-1\n[profile assumed]\nrole_arn=arn:aws:iam::000000000000:role/any\nsource_profile=plain\nregion=us-east-1\n`,
    )
    Object.assign(process.env, {
      AWS_PROFILE: profile,
      AWS_SHARED_CREDENTIALS_FILE: credentials,
      AWS_CONFIG_FILE: config,
      AWS_ENDPOINT_URL_STS: account.endpoint,
    })
    const bucket = await account.createBucket({ versioned: true })
    await using store = await openStore(`${account.storeUrl(bucket)}&probe=never`)
    const result = await store.commit([create('ns/a', new Uint8Array([1]))])
    assert.equal(result.ok, true)
  })

for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SESSION_TOKEN'])
  test(`${name} with a line end is refused by its name, before anything is sent`, async () => {
    const sound = { AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'zebra' }
    Object.assign(process.env, sound, { [name]: 'zebra\n' })
    await assert.rejects(openStore('s3://bucket?endpoint=http://127.0.0.1:1'), (error: Error) => {
      assert.ok(error.message.startsWith(`${name} has white space, a line end`), error.message)
      assert.doesNotMatch(inspect(error), /zebra/)
      return true
    })
  })
