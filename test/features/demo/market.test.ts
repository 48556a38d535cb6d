import fc from 'fast-check'
import t from 'tap'
import { createSecrets } from '../../../app/config/secrets.ts'
import { type Approval, type Certificate, judgeMarket } from '../../../app/features/demo/browser/market.js'
import { isAlternative, matchSchemes } from '../../../app/features/demo/browser/schemes.js'
import { marketRules } from '../../../app/features/demo/market-picture.ts'
import { features } from '../../../app/features.ts'
import { prepareDatabase } from '../../../app/local/prepare.ts'
import { approval } from '../../../schemas/approval.ts'
import { validity } from '../../../schemas/certificate.ts'
import { closeAfter, connectOwner, createTestApp, createTestDatabase, secretKey } from '../../helper.ts'

const judge = (required: string[], certificates: Certificate[], approvals: Approval[] = []) =>
  judgeMarket(marketRules, required, certificates, approvals)
const valid = (scheme: string, until?: string): Certificate => ({
  scheme,
  validity: 'valid',
  expiring: until !== undefined,
  valid_until: until ?? null,
})

t.test('a scheme that the country lists without a record makes half a cell', async (t) => {
  const required = ['IFT homologation', 'NOM-208']
  t.match(judge(required, [valid('IFT')]), {
    tone: 'half',
    words: 'approved as requested; NOM-208: nothing on record for this country',
  })
  t.match(judge([...required, 'NOM-019'], [valid('IFT', '2026-12-01')]), {
    tone: 'half',
    words:
      'approved as requested, certificate valid until 2026-12-01; NOM-208, NOM-019: nothing on record for this country',
    until: '2026-12-01',
  })
  t.match(judge(required, [valid('IFT')], [{ scheme: 'NOM-208', status: 'not_required' }]), {
    tone: 'good',
    words: 'yes, certificate valid',
  })
  t.match(judge([], [valid('IFT')]).tone, 'good', 'a country without a list')
})

t.test('the worst scheme decides', async (t) => {
  const required = ['KC (radio)', 'KC safety']
  const rejected = { scheme: 'KC safety', status: 'rejected' }
  t.match(judge(required, [valid('KC radio')], [rejected]), { tone: 'bad', words: 'no, approval rejected' })
  t.match(judge(required, [], [{ scheme: 'KC radio', status: 'in_review' }]).tone, 'open', 'no half cell')
  t.match(judge(['KC safety'], [valid('KC safety')], [{ scheme: 'Qi', status: 'cancelled' }]).tone, 'good')
  t.match(judge(required, [valid('KC radio')], [{ scheme: 'Qi', status: 'cancelled' }]).tone, 'bad')
  t.match(judge(required, [valid('KC radio', '2027-01-01'), valid('KC safety', '2026-12-01')]), {
    tone: 'warn',
    until: '2026-12-01',
  })
})

t.test('of several records of a scheme, the one that allows most decides', async (t) => {
  const old = valid('RCM', '2026-12-01')
  t.match(judge(['RCM'], [old, valid('RCM')]).tone, 'good', 'a renewed certificate')
  t.match(judge(['RCM'], [old, valid('RCM', '2027-01-01')]).until, '2027-01-01')
  const granted = { scheme: 'RCM', status: 'granted' }
  const renewal = { scheme: 'RCM', status: 'testing' }
  t.match(judge(['RCM'], [], [granted, renewal]), { tone: 'open', words: 'no, approval testing' })
  t.match(judge(['RCM'], [], [granted]).words, 'no, granted without a certificate')
})

t.test('a mark that the country also recognises is enough, and its absence is no gap', async (t) => {
  const listed = ['UKCA (Radio Equipment Regulations 2017)', 'CE marking also recognised in Great Britain']
  const ended = { ...valid('UKCA'), validity: 'void' }
  const endedCe = { ...valid('CE RED'), validity: 'expired' }
  t.match(judge(listed, [valid('UKCA')]), { tone: 'good', words: 'yes, certificate valid' })
  t.match(judge(listed, [valid('CE RED')]).tone, 'good', 'the alternative alone')
  t.match(judge(listed, [ended, valid('CE RED')]).tone, 'good', 'the alternative instead')
  t.match(judge(listed, [valid('UKCA'), endedCe]).tone, 'good', 'an alternative that ended')
  t.match(judge(listed, [valid('UKCA', '2026-12-01'), valid('CE RED')]).tone, 'good', 'the better one')
  const neither = judge(listed, [ended])
  t.match(neither, { tone: 'bad', words: 'no, certificate void' })
  t.match(neither.schemes[1], { name: listed[1], words: 'nothing on record for this country' })
  t.match(judge(listed, [ended, endedCe]).tone, 'bad')
})

t.test('the record that decides is named, not an older one without a scheme', async (t) => {
  const legacy = { scheme: null, validity: 'expired', expiring: false, valid_until: '2025-11-19' }
  const marking = valid('CE RED')
  const judged = judge(['CE marking (RED 2014/53/EU)'], [legacy, marking])
  t.equal(judged.record, marking)
  t.match(judged.schemes[1], { name: 'without a scheme', words: 'no, certificate expired' })
})

t.test('a certificate that is not valid yet names its first day', async (t) => {
  const future = { scheme: 'ANATEL', validity: 'not_yet_valid', expiring: false, valid_from: '2026-12-20' }
  const words = 'no, certificate not yet valid, valid from 2026-12-20'
  t.match(judge(['ANATEL homologation'], [future]), { tone: 'open', words })
  const pending = { ...future, approval_status: 'pending' }
  t.equal(judge(['ANATEL homologation'], [pending]).words, 'no, certificate not yet valid')
})

t.test('"may be sold" needs a valid certificate or an exemption for every listed scheme', async () => {
  const listed = ['CE RED', 'KC', 'NOM-208']
  const scheme = fc.constantFrom(...listed)
  const certificate = fc.record({
    scheme,
    validity: fc.constantFrom(...validity.options),
    expiring: fc.constant(false),
  })
  const request = fc.record({ scheme, status: fc.constantFrom(...approval.shape.status.options) })
  fc.assert(
    fc.property(fc.array(certificate), fc.array(request), (certificates, approvals) => {
      const isRequested = (name: string) =>
        [...certificates, ...approvals].some((each) => each.scheme === name)
      const isAllowed = (name: string) =>
        certificates.some((each) => each.scheme === name && each.validity === 'valid') ||
        approvals.some((each) => each.scheme === name && each.status === 'not_required')
      const { tone } = judge(listed, certificates, approvals)
      if (listed.every(isAllowed)) return tone === 'good'
      if (!listed.some(isRequested)) return tone === 'none'
      if (listed.filter(isRequested).every(isAllowed)) return tone === 'half'
      return tone === 'open' || tone === 'bad'
    }),
  )
})

t.test('the matrix agrees with market-access for every product and country of the example', async (t) => {
  const database = await createTestDatabase()
  const owner = connectOwner(database)
  await prepareDatabase(owner, createSecrets([secretKey]), { features })
  const app = await createTestApp(database, { env: { LIMIT_DEMO_BURST: '200', LIMIT_DEMO_MINUTE: '600' } })
  closeAfter(t, app, owner, database)
  const read = async (url: string) =>
    (await app.inject({ url, headers: { authorization: 'Bearer cda_demo_public' } })).json()
  const { data: certificates } = await read(
    '/v1/certificates?country_code[null]=false&product_id[null]=false&limit=500',
  )
  const { data: approvals } = await read('/v1/approvals?limit=500')
  type Place = { product_id: string; country_code: string }
  const places = Map.groupBy(
    [...certificates, ...approvals] as Place[],
    ({ product_id, country_code }) => `product_id=${product_id}&country_code=${country_code}`,
  )
  t.ok(places.size > 60)
  for (const [place, [first]] of places) {
    const { schemes, required_schemes: required } = await read(`/v1/custom/market-access?${place}`)
    const isHere = (each: Place) =>
      each.product_id === first?.product_id && each.country_code === first.country_code
    const { tone } = judge(required, certificates.filter(isHere), approvals.filter(isHere))
    const matched = matchSchemes<{ scheme: string; allowed: boolean }>(required, schemes)
    const listed = matched.filter((each) => each.required !== undefined)
    const isAllowed = ({ entry }: (typeof matched)[number]) => entry?.allowed === true
    const isOneEnough = listed.some((each) => isAlternative(each.required ?? '')) && listed.some(isAllowed)
    const held = matched.filter(({ entry }) => entry !== undefined)
    const expected =
      isOneEnough || listed.every(isAllowed)
        ? ['good', 'warn']
        : held.every(isAllowed)
          ? ['half']
          : ['open', 'bad']
    t.ok(expected.includes(tone), `${place}: ${tone}`)
  }
})
