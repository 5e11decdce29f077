export { anybody, type Caller, includes, type Role, roles } from './role.ts'
