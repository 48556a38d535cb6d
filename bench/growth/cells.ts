/** A column of the table. `customers`: all of them, the measured one included. */
export type Cell = { label: string; records: number; customers: number }

/** Its requests are measured. */
export const measuredCustomer = 'measured'
/** Certificates of the measured customer, if there are others. */
const measuredRecords = 10_000

/**
 * All pairs of 10 k, 100 k and 1 M with 1, 100 and 1,000, without two: 10,000 records of many customers have no customer
 * with 10,000. The first is the base of all comparisons.
 */
const pairs = '10k/1,100k/1,1m/1,100k/100,1m/100,100k/1000,1m/1000'

const units: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 }

/** Parses pairs of certificates and customers. Throws if the syntax is wrong. */
export const parseCells = (text: string = pairs): Cell[] =>
  text.split(',').map((part) => {
    const [, count, unit = '', customers] = /^(\d+)([km]?)\/(\d+)$/.exec(part) ?? []
    const cell = {
      label: part,
      records: Number(count) * (units[unit] ?? 1),
      customers: Number(customers),
    }
    const others = cell.customers - 1
    if (count && (others === 0 || (others > 0 && cell.records >= measuredRecords + others))) return cell
    throw new Error(`--cells: expected certificates/customers such as ${pairs}, not ${part}`)
  })

/** Lists the measured customer and equal others. */
export const listHolders = ({ records, customers }: Cell) => {
  const others = customers - 1
  const measured = others === 0 ? records : measuredRecords
  return [
    { customerId: measuredCustomer, records: measured },
    ...Array.from({ length: others }, (_, index) => ({
      customerId: `customer-${index + 1}`,
      records: Math.floor((records - measured) / others),
    })),
  ]
}
