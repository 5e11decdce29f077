import { createHash, randomBytes } from 'node:crypto'

/** So that people and scanners of repositories know one when they see it. */
const prefix = 'holdfast_'
const secretBytes = 32

/** A new token. It is shown once, and then only its hash is kept. */
export const newSecret = (): string => prefix + randomBytes(secretBytes).toString('base64url')

/**
 * What is stored of a token. A fast hash without salt is enough: slow ones protect passwords, which can be guessed, and salts
 * protect equal ones. A token is 256 random bits, so guessing is hopeless at any speed, and no two are equal.
 */
export const digestOf = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex')

/** Whether somebody brings what looks like one. */
export const isSecret = (text: string | null): boolean => text?.startsWith(prefix) === true
