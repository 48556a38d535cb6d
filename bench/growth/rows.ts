/**
 * `requests`: in a round, enough for 0.1 s of processor time. `mostByTable` and `mostByCustomer`: limits as multiples of
 * the first column, for a customer of the same size in a larger table, and for a customer that has the whole table.
 */
export type Row = { about: string; requests: number; mostByTable: number; mostByCustomer: number }

/** Costs of one build differ by up to a quarter between services. A fault of growth multiplies them. */
const sameCost = 1.5

export const rows = {
  cached: { about: 'cached page of 50', requests: 500, mostByTable: sameCost, mostByCustomer: sameCost },
  uncached: { about: 'uncached page of 50', requests: 60, mostByTable: sameCost, mostByCustomer: sameCost },
  filtered: {
    about: 'filtered page: a country, valid',
    requests: 50,
    mostByTable: sameCost,
    mostByCustomer: sameCost,
  },
  tag: { about: 'filtered page: a rare tag', requests: 60, mostByTable: sameCost, mostByCustomer: 3 },
  middle: {
    about: 'page after a cursor in the middle',
    requests: 60,
    mostByTable: sameCost,
    mostByCustomer: sameCost,
  },
  one: { about: 'q: a word of one record', requests: 40, mostByTable: sameCost, mostByCustomer: sameCost },
  tenth: { about: 'q: a word of a tenth', requests: 40, mostByTable: sameCost, mostByCustomer: sameCost },
  all: { about: 'q: a word of all', requests: 40, mostByTable: sameCost, mostByCustomer: sameCost },
  count: { about: 'count=exact', requests: 20, mostByTable: sameCost, mostByCustomer: 10 },
  emptyPoll: { about: 'empty poll', requests: 300, mostByTable: sameCost, mostByCustomer: sameCost },
  oneChange: { about: 'poll with one change', requests: 60, mostByTable: sameCost, mostByCustomer: sameCost },
  pause: {
    about: 'empty poll after two weeks',
    requests: 100,
    mostByTable: sameCost,
    mostByCustomer: sameCost,
  },
  record: { about: 'history of a record', requests: 60, mostByTable: sameCost, mostByCustomer: sameCost },
  history: {
    about: 'page of all history',
    requests: 40,
    mostByTable: sameCost,
    mostByCustomer: sameCost,
  },
  login: { about: 'login', requests: 100, mostByTable: sameCost, mostByCustomer: sameCost },
} as const satisfies Record<string, Row>

export type RowName = keyof typeof rows
export const rowNames = Object.keys(rows) as RowName[]

/** Measured once for each database, without requests. */
export const importRow = { about: 'import of 10,000 lines', mostByTable: 1.4, mostByCustomer: 1.4 }
export const memoryRow = { about: 'resident memory, MiB', mostByTable: 1.15, mostByCustomer: 1.15 }
