// A worker of the tests that waits for a program that it has started.
import { spawn } from 'node:child_process'
import '../orphan.ts'

const started = spawn('sleep', ['1000'])
started.once('spawn', () => process.send?.(started.pid))
