export { candidatesMax, type Failure, type FailureWord, failureOf } from './failure.ts'
