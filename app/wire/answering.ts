import type { Socket } from 'node:net'

/** The answer that is under way on a connection, in Node's own place for it. Node's own handler of errors looks there, too. */
type Answering = Socket & { _httpMessage?: { headersSent: boolean } | null }

/** Whether the head of an answer has been sent on a connection on which that answer has not ended. */
export const hasBegunAnswer = (socket: Socket): boolean =>
  (socket as Answering)._httpMessage?.headersSent === true
