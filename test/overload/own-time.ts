/**
 * Begins to count the milliseconds that this process has for itself: a moment in which it stood still counts as 20 at
 * most. The result ends that, and says how many there were.
 */
export const countOwnTime = (): (() => number) => {
  let ownMs = 0
  let lastMs = performance.now()
  const note = () => {
    const nowMs = performance.now()
    ownMs += Math.min(nowMs - lastMs, 20)
    lastMs = nowMs
  }
  const timer = setInterval(note, 10)
  return () => {
    clearInterval(timer)
    note()
    return ownMs
  }
}
