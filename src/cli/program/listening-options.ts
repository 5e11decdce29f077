import type { Options } from './command.ts'
import { tokenOptions } from './own-token.ts'

/** The options of a command that listens. */
export const listeningOptions = (port: number): Options => ({
  port: { value: 'N', about: `the port to listen on (default ${port}); 0 for any that is free` },
  host: { value: 'HOST', about: 'the address to listen on (default 127.0.0.1)' },
  socket: {
    value: 'PATH',
    about: 'listen on a Unix socket that only you can use, instead of host and port',
    completes: 'files',
  },
  ...tokenOptions,
  'public-url': {
    value: 'URL',
    about: 'where a reverse proxy serves it, as https://tasks.example.com',
  },
  'trust-proxy': { about: 'take client addresses from the X-Forwarded-For of that proxy' },
  'tls-cert': {
    value: 'FILE',
    about: 'serve HTTPS with this certificate chain (PEM); reloaded when it changes',
    completes: 'files',
  },
  'tls-key': { value: 'FILE', about: 'the private key of the certificate', completes: 'files' },
  insecure: { about: 'let other machines in without TLS' },
  log: {
    value: 'FORMAT',
    about: 'json logs every change and refusal on stderr, one JSON object a line (default text)',
    choices: ['text', 'json'],
  },
})
