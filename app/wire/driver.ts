import type { ClientBase } from 'pg'

type Connected = { connection: { stream: { destroy(): void } } }

/** Closes a connection immediately: `end` sends a message first and waits for the server, which may hang. */
export const dropConnection = (client: ClientBase): void =>
  (client as unknown as Connected).connection.stream.destroy()
