import { EventEmitter } from 'node:events'
import { ApiError } from '../../app/errors.ts'

/** Stands for a response, whose end frees a place. */
export const createEnding = () => Object.assign(new EventEmitter(), { destroyed: false })
export type Ending = ReturnType<typeof createEnding>
export const close = (ending: Ending) => {
  ending.destroyed = true
  ending.emit('close')
}

/** The error that refuses a place; `undefined` if the place is held. */
export const readRefusal = async (held: Promise<void>): Promise<ApiError | undefined> => {
  try {
    await held
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
/** Takes `count` places and returns how many of them were granted. */
export const holdMany = async (hold: () => Promise<void>, count: number): Promise<number> => {
  const refusals = await Promise.all(Array.from({ length: count }, () => readRefusal(hold())))
  return refusals.filter((each) => each === undefined).length
}
