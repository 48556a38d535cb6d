import type { ClientBase } from 'pg'

type Connected = { connection?: { stream?: { destroy(): void } } }

/** Closes a connection immediately: `end` sends a message first and waits for the server, which may hang. */
export const dropConnection = (client: ClientBase & { end(): Promise<void> }): void => {
  const { stream } = (client as unknown as Connected).connection ?? {}
  if (stream) stream.destroy()
  else void client.end().catch(() => {})
}
