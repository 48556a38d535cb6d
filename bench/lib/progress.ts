const width = 30
const tellEvery = 0.1

/** Writes to stderr, because programs may read stdout. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`)

export type Progress = { at(done: number): void; end(): void }

/** Returns the estimated remaining time as text, assuming constant speed. */
export const describeRest = (startedAt: number, share: number): string => {
  const seconds = ((performance.now() - startedAt) / 1000) * (1 / share - 1)
  return share > 0 ? `about ${seconds.toFixed(0)} s left` : ''
}

/** Shows a bar in a terminal, else prints a line for each tenth. */
export const createProgress = (label: string, total: number): Progress => {
  const startedAt = performance.now()
  let told = 0
  const line = (done: number) => {
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const bar = '█'.repeat(Math.round(share * width)).padEnd(width, '░')
    return `${label} ${bar} ${Math.round(share * 100)} %  ${describeRest(startedAt, share)}`
  }
  return {
    at(done) {
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line(done)}`)
      else if (done >= (told + tellEvery) * total) {
        told = done / total
        say(line(done))
      }
    },
    end() {
      if (process.stderr.isTTY) say(`\r\x1b[K${line(total)}`)
    },
  }
}
