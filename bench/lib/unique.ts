/**
 * Returns `numbered` of a target, for pages of 50 that are never cached. Each run uses a different second,
 * and each request a different microsecond of it.
 */
export const createUniquePages = () => {
  let second = 0
  return (): { before: string; after: string } => {
    second += 1
    const instant = new Date(Date.UTC(2200, 0) + 1000 * second).toISOString().slice(0, 20)
    return { before: `/v1/certificates?limit=50&created_at[lt]=${instant}`, after: 'Z' }
  }
}
