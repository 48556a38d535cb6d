import type { Db } from '../db/schema.ts'
import { loadCustomer } from '../identity/facts.ts'
import { defaultExpiringWithin } from '../identity/principal.ts'
import type { DayAndWindow } from './token.ts'

/**
 * Adds the customer's expiry window to a day. It reads the database, because a principal's window may be half a
 * second old and a token promises every later change. Rejects with unavailable.
 */
export const readDayAndWindow = async (db: Db, customerId: string, day: string): Promise<DayAndWindow> => {
  const customer = await loadCustomer(db, customerId)
  return { day, window: customer?.value.expiringWithin ?? defaultExpiringWithin }
}
