import { country } from '../../../schemas/country.ts'
import { approvalIsOpen } from './approvals.ts'
import { certificateIsExpiring, certificateIsValid } from './certificates.ts'
import { defineResource } from './define.ts'

const counts = `count(*) filter (where ${certificateIsValid}) as valid,
        count(*) filter (where ${certificateIsExpiring}) as expiring`

/**
 * A certificate belongs to a country by its own code or by an approval's, and counts once. Certificates with the
 * country's own code are read by its index, and others by their ids: `offset 0` prevents joins, which would read all
 * certificates of the customer for each country.
 */
const approvalInfo = `(
  select row_to_json(info) from (
    select a.granted, a.open, own.valid + others.valid as certificates_valid,
      own.expiring + others.expiring as certificates_expiring
    from (
      select count(*) filter (where r.status = 'granted') as granted,
        count(*) filter (where ${approvalIsOpen}) as open
      from approvals r where r.customer_id = :customer and r.country_code = country.code
    ) a, (
      select ${counts}
      from certificates r where r.customer_id = :customer and r.country_code = country.code
    ) own, (
      select ${counts}
      from (
        select distinct by_approval.certificate_id as id from approvals by_approval
        where by_approval.customer_id = :customer and by_approval.country_code = country.code
          and by_approval.certificate_id is not null
      ) covered
      cross join lateral (
        select c.* from certificates c where c.customer_id = :customer and c.id = covered.id offset 0
      ) r
      where r.country_code is distinct from country.code
    ) others
  ) info
)`

declare module './define.ts' {
  interface ResourceNames {
    countries: true
  }
}

export const countries = defineResource({
  name: 'countries',
  rank: 4,
  version: 1,
  noun: 'country',
  contents: 'Authorities, requirements, lead times, and your approvals in each country',
  schema: country,
  includes: {},
  filters: {
    id: 'equal',
    code: 'equal',
    alpha3: 'equal',
    name: 'prefix',
    region: 'equal',
    blocs: 'equal',
    updated_at: 'range',
  },
  sorts: ['code', 'name', 'region', 'id'],
  defaultSort: 'code',
  computed: {
    approval_info: { select: `(select ${approvalInfo} from (select r.code) country)` },
  },
  computedForDay: true,
  elements: [],
  search: ['code', 'alpha3', 'name', 'authorities'],
  reads: ['countries', 'approvals', 'certificates'],
  reference: true,
  importing: {
    required: ['code', 'alpha3', 'name', 'region'],
    initial: { confidence: 'low' },
    sameAs: { id: 'code' },
    expectedTransitions: {},
  },
})
