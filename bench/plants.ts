import type { Edit } from '../test/edit-sources.ts'

/** A planted regression. `scenarios`: the names of the scenarios that it slows down. */
export type Plant = { scenarios: RegExp; edits: readonly Edit[] }

/** Regressions that the gate must notice. plant.ts plants them in a running service. */
export const plants: Readonly<Record<string, Plant>> = {
  'without the edge': {
    scenarios: /^item, HTTP/,
    edits: [{ file: 'app/app.ts', from: 'deps.hasEdge !== false', to: 'false' }],
  },
  'with 25 % more work in each cached answer': {
    scenarios: /^item, HTTP/,
    edits: [
      { file: 'app/edge/edge.ts', from: 'const ms =', to: 'globalThis.workAQuarterMore()\n    const ms =' },
    ],
  },
  'with one extra query in an uncached read': {
    scenarios: /uncached/,
    edits: [
      {
        file: 'app/records/records.ts',
        from: 'return readRowInTurn(db, plan.customerId, statement)',
        to: `const extra = { name: 'extra', text: 'select id from products where customer_id = $1 order by id limit 1', values: [plan.customerId] }
  return readRowInTurn(db, plan.customerId, extra).then(() => readRowInTurn(db, plan.customerId, statement))`,
      },
    ],
  },
  'with a busy loop of 250 µs in each HTTP/2 answer': {
    scenarios: /HTTP\/2/,
    edits: [
      {
        file: 'app/edge/head.ts',
        from: 'stream.respond(head,',
        to: 'for (const end = performance.now() + 0.25; performance.now() < end; );\n  stream.respond(head,',
      },
    ],
  },
}
