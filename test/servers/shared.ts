import { inject } from 'vitest'
import { S3Account } from './s3.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where global-setup.ts hands out the servers that all test files share. */
    servers: string
  }
}

/** What is told of each shared server. It starts when the first test file of a run asks for it. */
export interface SharedServers {
  readonly nats: { readonly url: string }
  readonly 'nats-cluster': { readonly url: string }
  readonly minio: S3Account
  readonly ministack: S3Account
}

export const sharedNats = (): Promise<SharedServers['nats']> => ask('nats')
export const sharedNatsCluster = (): Promise<SharedServers['nats-cluster']> => ask('nats-cluster')
export const sharedMinio = async (): Promise<S3Account> => new S3Account(await ask('minio'))
export const sharedMinistack = async (): Promise<S3Account> => new S3Account(await ask('ministack'))

async function ask<K extends keyof SharedServers>(name: K): Promise<SharedServers[K]> {
  const response = await fetch(`${inject('servers')}/${name}`)
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as SharedServers[K]
}
