import { once } from 'node:events'
import type pg from 'pg'

type CopyConnection = pg.Connection & {
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
  stream: NodeJS.WritableStream & { writableNeedDrain?: boolean }
}

/** Sends the chunks by `COPY … FROM STDIN`. Resolves with the number of rows. */
export const copyIn = (client: pg.Client, text: string, chunks: Iterable<string>): Promise<number> =>
  new Promise((resolve, reject) => {
    let rows = 0
    const pour = async (connection: CopyConnection) => {
      try {
        for (const chunk of chunks) {
          connection.sendCopyFromChunk(Buffer.from(chunk))
          if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain')
          // Lets an error from the server arrive in between.
          else await new Promise(setImmediate)
        }
        connection.endCopyFrom()
      } catch (error) {
        connection.sendCopyFail(String(error))
      }
    }
    const submittable = {
      submit: (connection: CopyConnection) => connection.query(text),
      handleCopyInResponse: (connection: CopyConnection) => void pour(connection),
      handleCommandComplete: ({ text: done }: { text: string }) => {
        rows = Number(done.split(' ').at(-1))
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(rows),
    }
    client.query(submittable as unknown as pg.Submittable)
  })
