/** Counts steps of a long piece of work, and the most of them in one turn of the event loop. */
export const countSteps = () => {
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
      figures.steps += 1
      inThisTurn += 1
      figures.mostInATurn = Math.max(figures.mostInATurn, inThisTurn)
    },
    stop() {
      isStopped = true
    },
  }
}
