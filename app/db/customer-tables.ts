/** The columns of a table with a customer. The export contains `exported`. `isDerived`: triggers fill the table. */
export type KnownTable = Readonly<{
  exported: readonly string[]
  /** Hashes that prove a key or an assertion. Only an export with keys contains them. */
  proofs?: readonly string[]
  /** Transaction ids, and values derived from others. */
  internal: readonly string[]
  isDerived?: true
}>

/** By name. */
export type CustomerTables = Readonly<Record<string, KnownTable>>
