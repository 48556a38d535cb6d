import { tracingChannel } from 'node:diagnostics_channel'

type Command = { command: string }
/** Begins a span; what it returns ends it. Undefined: not of interest. */
type Begin = (command: string) => ((isFailed: boolean) => void) | undefined

/** Hears of Redis commands where they are sent (the client publishes them); returns what ends that. */
export const traceRedis = (begin: Begin): (() => void) => {
  const ends = new WeakMap<object, (isFailed: boolean) => void>()
  const finish = (message: object, isFailed: boolean) => {
    ends.get(message)?.(isFailed)
    ends.delete(message)
  }
  const channel = tracingChannel<string, Command>('ioredis:command')
  const subscribers = {
    start(message: Command) {
      const end = begin(message.command.toLowerCase())
      if (end) ends.set(message, end)
    },
    end() {},
    asyncStart() {},
    asyncEnd: (message: Command) => finish(message, false),
    error: (message: Command) => finish(message, true),
  }
  channel.subscribe(subscribers)
  return () => {
    channel.unsubscribe(subscribers)
  }
}
