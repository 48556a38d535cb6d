export const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

export const formatMs = (ms: number): string => `${ms.toFixed(ms < 100 ? 1 : 0)} ms`

const faults: string[] = []

/** Prints a line and notes it if it is not good. */
export const judge = (text: string, isGood: boolean): void => {
  say(`${isGood ? 'ok    ' : 'MISSED'} ${text}`)
  if (!isGood) faults.push(text)
}

/** Prints the verdict and sets the exit code. */
export const conclude = (): void => {
  say(faults.length === 0 ? 'All reached.' : `${faults.length} missed.`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
