export { type Failure, type FailureWord, failureOf, firstOf } from './failure.ts'
