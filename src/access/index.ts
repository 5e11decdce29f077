export {
  InvalidTokenError,
  TokenExistsError,
  TokenNotFoundError,
  TokensRefusedError,
} from './error.ts'
export { KnownTokens, type Stranger } from './known-tokens.ts'
export { checkName, isOwnAgent } from './name.ts'
export { agentOf, checkRole, checkTaking, ForbiddenError } from './permission.ts'
export { anybody, type Caller, includes, owner, type Role, roles } from './role.ts'
export { type Lifetime, type Token, type TokenList, Tokens } from './tokens.ts'
