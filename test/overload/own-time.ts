/** Counts the milliseconds in which this process ran: a pause counts as 20 at most. The result ends the count. */
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
