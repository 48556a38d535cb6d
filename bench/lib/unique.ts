/**
 * Makes pages of 50 that no cache knows: their last value is a number of microseconds, of a second that no other run
 * has. For `numbered` of a target.
 */
export const createUniquePages = () => {
  let second = 0
  return (): { before: string; after: string } => {
    second += 1
    const instant = new Date(Date.UTC(2200, 0) + 1000 * second).toISOString().slice(0, 20)
    return { before: `/v1/certificates?limit=50&created_at[lt]=${instant}`, after: 'Z' }
  }
}
