import { Refusal } from '../collection/index.ts'

/** A name, role or time that no token can have. */
export class InvalidTokenError extends Refusal {
  override readonly name = 'InvalidTokenError'
  readonly kind = 'invalid'
}

/** No token has this name. */
export class TokenNotFoundError extends Refusal {
  override readonly name = 'TokenNotFoundError'
  readonly kind = 'not_found'
}

/** A token has this name already. */
export class TokenExistsError extends Refusal {
  override readonly name = 'TokenExistsError'
  readonly kind = 'conflict'
}

/** The tokens that there are don't allow it. */
export class TokensRefusedError extends Refusal {
  override readonly name = 'TokensRefusedError'
  readonly kind = 'refused'
}
