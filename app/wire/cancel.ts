import { connect } from 'node:net'
import type { ClientBase } from 'pg'

/** What the driver knows of its connection, beyond what its types say. */
type Connected = { host: string; port: number; processID: number; secretKey: number }

/** Of the protocol's CancelRequest, in place of a version. */
const cancelCode = 80_877_102
const lengthBytes = 16
/** Nothing is answered: whoever keeps the connection open longer is not listening. */
const patienceMs = 2_000

/**
 * Asks the server to end what the connection is running (PostgreSQL's manual, "Canceling Requests in Progress"):
 * the only way that needs no right over another session. A statement that is computing ends at once. Whether it
 * worked is not told; errors are none of the caller's.
 */
export const cancelStatement = (client: ClientBase): void => {
  const { host, port, processID, secretKey } = client as unknown as Connected
  const request = Buffer.alloc(lengthBytes)
  for (const [index, value] of [lengthBytes, cancelCode, processID, secretKey].entries()) {
    request.writeInt32BE(value, 4 * index)
  }
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.setTimeout(patienceMs, () => socket.destroy())
  socket.on('error', () => {})
  socket.end(request)
  socket.unref()
}
