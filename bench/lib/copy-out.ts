import type pg from 'pg'

/** `COPY … TO STDOUT`, each piece as the driver hands it on; resolves at the end. */
export const copyOut = (
  client: pg.ClientBase,
  text: string,
  onPiece: (piece: Buffer) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const reading = {
      submit: (connection: pg.Connection & { query(sent: string): void }) => connection.query(text),
      handleCopyData: ({ chunk }: { chunk: Buffer }) => onPiece(chunk),
      handleError: reject,
      handleCommandComplete: () => {},
      handleReadyForQuery: () => resolve(),
    }
    client.query(reading as unknown as pg.Submittable)
  })
