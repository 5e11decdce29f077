const { NODE_EXTRA_CA_CERTS, ...others } = process.env

/**
 * As a worker was started, for it is loaded once; but for certificates that the machine adds. A Node that starts reads
 * all of them first, which can take longer than all else that it does then, and everything here is on this machine.
 */
export const atStart: Readonly<NodeJS.ProcessEnv> = others

/** For those who do ask somebody outside, as npm does. */
export const forOutside: Readonly<NodeJS.ProcessEnv> =
  NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS }
