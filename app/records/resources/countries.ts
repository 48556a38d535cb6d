import { country } from '../../../schemas/country.ts'
import { approvalIsOpen } from './approvals.ts'
import { certificateIsExpiring, certificateIsValid } from './certificates.ts'
import { defineResource } from './define.ts'

/** A certificate belongs to a country by its own code or by an approval's, and counts once. */
const approvalInfo = `(
  select row_to_json(info) from (
    select a.granted, a.open, c.certificates_valid, c.certificates_expiring
    from (
      select count(*) filter (where r.status = 'granted') as granted,
        count(*) filter (where ${approvalIsOpen}) as open
      from approvals r where r.customer_id = :customer and r.country_code = country.code
    ) a, (
      select count(*) filter (where ${certificateIsValid}) as certificates_valid,
        count(*) filter (where ${certificateIsExpiring}) as certificates_expiring
      from (
        select own.id from certificates own
        where own.customer_id = :customer and own.country_code = country.code
        union
        select by_approval.certificate_id from approvals by_approval
        where by_approval.customer_id = :customer and by_approval.country_code = country.code
          and by_approval.certificate_id is not null
      ) covered
      join certificates r on r.customer_id = :customer and r.id = covered.id
    ) c
  ) info
)`

export const countries = defineResource({
  name: 'countries',
  noun: 'country',
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
  sorts: ['code', 'name', 'region'],
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
