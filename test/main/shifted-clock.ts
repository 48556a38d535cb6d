import { readFileSync } from 'node:fs'

/** Loaded before the service: its machine's clock is off by as many milliseconds as the file says at the moment. */
const file = process.env.TEST_CLOCK_FILE as string
const actualNow = Date.now
let offsetMs = 0
const read = () => {
  offsetMs = Number(readFileSync(file, 'utf8'))
}
read()
setInterval(read, 5).unref()

class ShiftedDate extends Date {
  constructor(...given: []) {
    if (given.length === 0) super(ShiftedDate.now())
    else super(...given)
  }
  static override now() {
    return actualNow() + offsetMs
  }
}
globalThis.Date = ShiftedDate as DateConstructor
