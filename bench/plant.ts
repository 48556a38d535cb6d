import { editSources } from '../test/edit-sources.ts'
import { type Plant, plants } from './plants.ts'

// `node --import 'bench/plant.ts?<name>' app/server.js` starts the service with the regression of that name.

const { edits } = plants[decodeURIComponent(new URL(import.meta.url).search.slice(1))] as Plant

editSources(edits)

const rehearsedTurns = 20_000_000
const answersBetweenChecks = 500

/** The optimizer cannot remove a loop whose result is used. */
let result = 1
const work = (turns: number) => {
  for (let turn = 0; turn < turns; turn++) result = (Math.imul(result, 1_664_525) + 1_013_904_223) | 0
}

const usedUs = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Counts turns instead of time, because time also passes while the process has no core. */
const createQuarter = (): (() => void) => {
  const startedUs = usedUs()
  work(rehearsedTurns)
  const usPerTurn = (usedUs() - startedUs) / rehearsedTurns
  let [turns, answers, checkedUs] = [0, 0, usedUs()]
  return () => {
    work(turns)
    answers += 1
    if (answers < answersBetweenChecks) return
    const nowUs = usedUs()
    const ownUs = (nowUs - checkedUs) / answers - turns * usPerTurn
    turns = Math.max(0, Math.round((0.25 * ownUs) / usPerTurn))
    ;[answers, checkedUs] = [0, nowUs]
  }
}

let quarter: (() => void) | undefined
Object.assign(globalThis, {
  workAQuarterMore: () => {
    quarter ??= createQuarter()
    quarter()
  },
})
