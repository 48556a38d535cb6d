const stepMs = 0.1

/** A step of a long piece of work that takes a tenth of a millisecond, and how many went before the event loop turned. */
export const createSlowSteps = () => {
  const figures = { steps: 0, mostInATurn: 0 }
  let inThisTurn = 0
  let isStopped = false
  const turn = () => {
    inThisTurn = 0
    if (!isStopped) setImmediate(turn)
  }
  turn()
  return {
    figures,
    step() {
      const until = performance.now() + stepMs
      while (performance.now() < until);
      figures.steps += 1
      inThisTurn += 1
      figures.mostInATurn = Math.max(figures.mostInATurn, inThisTurn)
    },
    stop() {
      isStopped = true
    },
  }
}
