/** Where people or programs read; `columns` is the width of a terminal. */
export type Screen = NodeJS.WritableStream & Readonly<{ isTTY?: boolean; columns?: number }>

/** All that commands know of the process they run in; test/architecture.test.ts sees that it is all. */
export type Shell = Readonly<{
  env: Readonly<Record<string, string | undefined>>
  /** Opened by the command that reads it. */
  stdin: AsyncIterable<Uint8Array>
  stdout: Screen
  stderr: Screen
  /** On a signal, runs `release` and then ends the process, even if `release` fails. Returns a function that cancels it. */
  onSignal: (release: () => Promise<void>) => () => void
}>
