import type { Scheme } from '../../scheme.ts'

export const nats: Scheme = {
  forms: ['nats://HOST:4222'],
  shown: {
    harmless: {
      replicas: /^\d{1,3}$/,
      history: /^\d{1,3}$/,
      atomic: /^(true|false)$/,
      timeout_ms: /^\d{1,9}$/,
      tls: /^(true|false)$/,
    },
    addresses: ['monitor'],
    secrets: ['nkey', 'creds', 'tls_ca', 'tls_cert', 'tls_key'],
  },
  sharedBy: 'network',
  async open(rest, options) {
    const { openNats } = await import('./driver.ts')
    return openNats(rest, options)
  },
  isBegunByAdding: () => true,
}
