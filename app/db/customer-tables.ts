/** Rows that an import changes. Data and no function, because each command loads it. */
type ImportedRows = Readonly<{
  /** The columns of the file that are written. */
  columns: readonly string[]
  /** Further columns, with the same value in each row. */
  values: Readonly<Record<string, string>>
  /** The sentence for the operator: the number of rows as `noun`, then `nextStep`. */
  leftBehind: Readonly<{ noun: string; nextStep: string }>
}>

/** The columns of a table with a customer. The export contains `exported`. `isDerived`: triggers fill the table. */
export type KnownTable = Readonly<{
  exported: readonly string[]
  /** Hashes that prove a key or an assertion. Only an export with keys contains them. */
  proofs?: readonly string[]
  /** Transaction ids, and values derived from others. */
  internal: readonly string[]
  isDerived?: true
  /** Its rows belong to the database that exported them, so an import skips them. */
  staysBehind?: true
  /** Optional. By default, an import writes the rows of the file. */
  imported?: ImportedRows
}>

/** By name. */
export type CustomerTables = Readonly<Record<string, KnownTable>>
