import type { Options } from './command.ts'
import { tokenOptions } from './own-token.ts'

/** The options of a command that listens. */
export const listeningOptions = (port: number): Options => ({
  port: { value: 'N', about: `the port to listen on (default ${port}); 0 for any that is free` },
  host: {
    value: 'HOST',
    about: 'the address to listen on (default 127.0.0.1); others need a token of 20 characters',
  },
  socket: {
    value: 'PATH',
    about: 'listen on a Unix socket, which only you can use, instead of host and port',
    completes: 'files',
  },
  ...tokenOptions,
  'public-url': {
    value: 'URL',
    about: 'the address that your reverse proxy has, such as https://tasks.example.com',
  },
  'trust-proxy': { about: 'take client addresses from X-Forwarded-For' },
  'tls-cert': {
    value: 'FILE',
    about: 'serve HTTPS with this certificate chain (PEM); reloads it when it changes',
    completes: 'files',
  },
  'tls-key': {
    value: 'FILE',
    about: 'its private key (PEM), readable by you alone',
    completes: 'files',
  },
  insecure: { about: 'allow other addresses without TLS' },
  log: {
    value: 'FORMAT',
    about: 'the log format (default text); json also logs every change and refusal',
    choices: ['text', 'json'],
  },
})
