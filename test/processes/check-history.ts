// check-history FILE: checks a history again that a test has kept because it was no good, and prints what is wrong with it.
import { readFileSync } from 'node:fs'
import { check } from '../linearizability/check.ts'
import { reportOf } from '../linearizability/report.ts'

const { contract, history } = JSON.parse(readFileSync(process.argv[2] as string, 'utf8'))
const verdict = check(history, contract)
console.log(reportOf(verdict))
process.exitCode = verdict.type === 'linearizable' ? 0 : 1
