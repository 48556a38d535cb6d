export type Size = { name: string; certificates: number; customers: number }

export type Holder = { customerId: string; certificates: number; products: number; approvals: number }

/** Most pages are requested for this customer. */
export const largeCustomer = 'large'
const largeCertificates = 100_000
/** A certificate of this customer that changes often, and is not deleted. */
export const oftenChanged = 'crt-5000'
/** The customer with the dashboard. It has the same number of records in every size. */
export const dashboardCustomer = 'dashboard'
const dashboardCertificates = 1_000
const certificatesOfProduct = 10
const certificatesOfApproval = 5

const units: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 }

/** Parses sizes such as `10k/1,1m/100` (certificates/customers). Throws if the syntax is wrong. */
export const parseSizes = (text: string): Size[] =>
  text.split(',').map((part) => {
    const [, count, unit = '', customers] = /^(\d+)([km]?)\/(\d+)$/.exec(part) ?? []
    const size = {
      name: `${count}${unit}`,
      certificates: Number(count) * (units[unit] ?? 1),
      customers: Number(customers),
    }
    if (count && size.customers > 0 && size.certificates >= size.customers) return size
    throw new Error(`--sizes: expected certificates/customers such as 10k/1,1m/100, not ${part}`)
  })

const holder = (customerId: string, certificates: number): Holder => ({
  customerId,
  certificates,
  products: Math.ceil(certificates / certificatesOfProduct),
  approvals: Math.ceil(certificates / certificatesOfApproval),
})

/** Lists one large customer, equal others, and the customer with the dashboard. */
export const listHolders = ({ certificates, customers }: Size): Holder[] => {
  const others = customers - 1
  // Leaves at least one certificate for each other customer.
  const large = others === 0 ? certificates : Math.min(largeCertificates, certificates - others)
  const rest = certificates - large
  const getShare = (index: number) =>
    Math.floor((rest * (index + 1)) / others) - Math.floor((rest * index) / others)
  return [
    holder(largeCustomer, large),
    ...Array.from({ length: others }, (_, index) => holder(`customer-${index + 1}`, getShare(index))),
    holder(dashboardCustomer, dashboardCertificates),
  ]
}

/** Records number `from` to `to` of one customer, which share an instant. `at`: that instant, from 0 to 1. */
export type Batch = { customerId: string; from: number; to: number; at: number }

/**
 * Returns batches in order of time. As with imports, each batch holds some records of one customer, and
 * customers are mixed over the years. A page of a customer therefore lies in few blocks, and all its records
 * lie in many.
 */
export const listBatches = (
  holders: readonly Holder[],
  of: 'certificates' | 'products' | 'approvals',
  most: number,
) =>
  holders
    .flatMap((each): Batch[] => {
      const batches = Math.ceil(each[of] / most)
      return Array.from({ length: batches }, (_, index) => ({
        customerId: each.customerId,
        from: index * most + 1,
        to: Math.min(each[of], (index + 1) * most),
        at: (index + 0.5) / batches,
      }))
    })
    .sort((a, b) => a.at - b.at)
