import type { Screen } from '../../command-line/shell.ts'
import type { ImportReport } from '../../import/index.ts'

const redrawMs = 100
const barWidth = 24

export type Progress = {
  watch(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  report(report: Readonly<ImportReport>): void
  end(): void
}

/** Creates a progress bar, which is silent without a terminal. `sizeBytes`: `undefined` for a pipe. */
export const createProgress = (terminal: Screen, sizeBytes: number | undefined): Progress => {
  const startedMs = performance.now()
  let drawnMs = 0
  let bytes = 0
  let read = 0

  const draw = () => {
    const nowMs = performance.now()
    if (!terminal.isTTY || nowMs - drawnMs < redrawMs) return
    drawnMs = nowMs
    const share = sizeBytes ? Math.min(1, bytes / sizeBytes) : undefined
    const bar =
      share === undefined ? '' : `${'█'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '░')} `
    const perSecond = Math.round(read / ((nowMs - startedMs) / 1000))
    const done = share === undefined ? '' : `${Math.floor(share * 100)} %  `
    terminal.write(
      `\r\x1b[K${bar}${done}${read.toLocaleString('en')} lines, ${perSecond.toLocaleString('en')}/s`,
    )
  }

  return {
    async *watch(source) {
      for await (const chunk of source) {
        bytes += chunk.length
        draw()
        yield chunk
      }
    },
    report(report) {
      read = report.read
      draw()
    },
    end() {
      if (terminal.isTTY) terminal.write('\r\x1b[K')
    },
  }
}
