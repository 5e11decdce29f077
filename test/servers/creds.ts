import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'

/** No limit to anything, JetStream included, which an account otherwise would not have. */
const accountLimits = {
  ...{ subs: -1, data: -1, payload: -1, conn: -1, leaf: -1, imports: -1, exports: -1 },
  ...{ wildcards: true, mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 },
}

/**
 * An operator, an account and a user, as NATS's own tool would make them: what the server's configuration says
 * of them, and the file by which the user proves who it is.
 */
export function makeCreds(folder: string): { config: Record<string, unknown>; file: string } {
  const operator = nkeys.createOperator()
  const account = nkeys.createAccount()
  const user = nkeys.createUser()
  // JetStream talks to the server through an account of its own.
  const system = nkeys.createAccount()
  const operatorToken = sign(operator, operator, { type: 'operator' })
  const accountToken = sign(operator, account, { type: 'account', limits: accountLimits })
  const userToken = sign(account, user, { type: 'user', subs: -1, data: -1, payload: -1 })
  const file = join(folder, 'user.creds')
  const seed = new TextDecoder().decode(user.getSeed())
  writeFileSync(
    file,
    `-----BEGIN NATS USER JWT-----\n${userToken}\n------END NATS USER JWT------\n
-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
  )
  const config = {
    operator: operatorToken,
    system_account: system.getPublicKey(),
    resolver: 'MEMORY',
    resolver_preload: {
      [account.getPublicKey()]: accountToken,
      [system.getPublicKey()]: sign(operator, system, { type: 'account' }),
    },
  }
  return { config, file }
}

type KeyPair = ReturnType<typeof nkeys.createUser>

/** A token in which `issuer` says what `subject` is. */
function sign(issuer: KeyPair, subject: KeyPair, nats: Readonly<Record<string, unknown>>): string {
  const claims = {
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name: nats['type'],
    nats: { ...nats, version: 2 },
  }
  const signed = [{ typ: 'JWT', alg: 'ed25519-nkey' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')
  return `${signed}.${signature}`
}
