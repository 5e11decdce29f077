import assert from 'node:assert/strict'
import { StoreError, type StoreErrorReason } from '../../src/store/index.ts'
import { measured } from '../rounds.ts'

interface FailureOptions {
  /** How long a call may take that can't succeed. */
  readonly withinMs?: number
  /** What no error may show. */
  readonly secret?: string | undefined
}

/**
 * Fails for this reason, in time, says what to do next, and nothing that is secret. Where only the time was too long, it is
 * called again.
 */
export async function assertFails(
  call: () => Promise<unknown>,
  reason: StoreErrorReason,
  { withinMs = 5_000, secret = process.env['AWS_SECRET_ACCESS_KEY'] }: FailureOptions = {},
): Promise<StoreError> {
  const errors: StoreError[] = []
  await measured(
    async () => {
      const start = performance.now()
      errors.push(await failureOf(call, reason, secret))
      return { ms: performance.now() - start }
    },
    ({ ms }) => ms < withinMs,
  )
  return errors.at(-1) as StoreError
}

async function failureOf(
  call: () => Promise<unknown>,
  reason: StoreErrorReason,
  secret: string | undefined,
): Promise<StoreError> {
  const error = await call().then(
    () => assert.fail(`it succeeded; ${reason} was expected`),
    (failure: unknown) => failure,
  )
  assert.ok(error instanceof StoreError, `not a StoreError: ${error}`)
  assert.equal(error.reason, reason, error.message)
  assert.match(error.message, /\. .+\.$/s, 'it says what to do next')
  for (let each: unknown = error; each instanceof Error; each = each.cause)
    for (const text of [each.message, each.stack ?? '', JSON.stringify(each)])
      assert.ok(!(secret && text.includes(secret)) && !/Signature=/.test(text), 'a secret is shown')
  return error
}
