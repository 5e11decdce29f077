// Loaded before a program, by NODE_OPTIONS: its clock is off by as many milliseconds as WRONG_CLOCK_MS says.
const offMs = Number(process.env['WRONG_CLOCK_MS'] ?? 0)
const RightDate = Date

class WrongDate extends RightDate {
  constructor(...given: [] | [number | string | Date]) {
    if (given.length === 0) super(RightDate.now() + offMs)
    else super(given[0])
  }

  static override now(): number {
    return RightDate.now() + offMs
  }
}

globalThis.Date = WrongDate as DateConstructor
