import { refusal } from '../collection/index.ts'

/** A name, role or time that no token can have. */
export class InvalidTokenError extends refusal('InvalidTokenError', 'invalid') {}

/** No token has this name. */
export class TokenNotFoundError extends refusal('TokenNotFoundError', 'not_found') {}

/** A token has this name already. */
export class TokenExistsError extends refusal('TokenExistsError', 'conflict') {}

/** The tokens that there are don't allow it. */
export class TokensRefusedError extends refusal('TokensRefusedError', 'refused') {}
