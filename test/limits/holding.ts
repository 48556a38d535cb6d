import { EventEmitter } from 'node:events'
import { ApiError } from '../../app/errors.ts'

/** Like a response, whose end frees a slot. */
export const createEnding = () => Object.assign(new EventEmitter(), { destroyed: false })
export type Ending = ReturnType<typeof createEnding>
export const close = (ending: Ending) => {
  ending.destroyed = true
  ending.emit('close')
}

/** `undefined` if the slot is held. */
export const readRefusal = async (held: Promise<void>): Promise<ApiError | undefined> => {
  try {
    await held
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
/** Returns the number of granted slots. */
export const holdMany = async (hold: () => Promise<void>, count: number): Promise<number> => {
  const refusals = await Promise.all(Array.from({ length: count }, () => readRefusal(hold())))
  return refusals.filter((each) => each === undefined).length
}
