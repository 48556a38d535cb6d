import t from 'tap'
import { fuzz, type Target } from '../../checks/fuzz/fuzz.ts'
import { targets } from '../../checks/fuzz/targets.ts'

const hidden: Target = {
  name: 'hidden',
  seeds: ['aaaaaa'],
  words: ['F', 'U', 'Z'],
  check(input) {
    const text = input.toString('latin1')
    if (text[0] === 'F') {
      if (text[1] === 'U') {
        if (text[2] === 'Z') throw new Error('found')
      }
    }
  },
}

const isDue = (inputs: number) => inputs < 2000

t.test('the fuzzer finds a fault behind three comparisons, guided by coverage', async (t) => {
  const guided = fuzz(hidden, { seed: 1, isDue, isMeasured: (url) => url === import.meta.url })
  t.equal(guided.finding?.input.toString('latin1'), 'FUZ', 'and shortens the input')
  const blind = fuzz(hidden, { seed: 1, isDue, isMeasured: () => false })
  t.equal(blind.finding, undefined, 'which the same mutations without coverage do not find')
})

t.test('the parsers keep their promises for their own examples', async (t) => {
  for (const { name, seeds, check } of targets) {
    for (const seed of seeds) t.doesNotThrow(() => check(Buffer.from(seed)), name)
  }
})
