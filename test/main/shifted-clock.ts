import { readFileSync } from 'node:fs'

/** Preloaded: shifts the clock by the milliseconds in TEST_CLOCK_FILE. */
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
