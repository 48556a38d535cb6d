import type { Db } from '../db/schema.ts'
import { loadCustomer } from '../identity/facts.ts'
import { defaultExpiringWithin } from '../identity/principal.ts'
import type { DayAndWindow } from './token.ts'

/**
 * Returns `day` with the customer's expiry window. Reads it from the database, because a principal's may be
 * half a second old and a token promises all changes after its moment. Rejects with unavailable.
 */
export const readDayAndWindow = async (db: Db, customerId: string, day: string): Promise<DayAndWindow> => {
  const customer = await loadCustomer(db, customerId)
  return { day, window: customer?.value.expiringWithin ?? defaultExpiringWithin }
}
