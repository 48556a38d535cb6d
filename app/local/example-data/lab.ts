import { addDays, type ExampleLine } from './calendar.ts'
import { certificateId } from './certificates.ts'
import { findProject } from './projects.ts'

type Laboratory = readonly [name: string | null, country: string | null]
const nordlab: Laboratory = ['Nordlab Funk & EMV GmbH', 'DE']
const bayside: Laboratory = ['Bayside Radio Testing, Inc.', 'US']
const hikari: Laboratory = ['光無線試験所 (Hikari Wireless Laboratory)', 'JP']
const own: Laboratory = ['Example Devices GmbH, own chamber', 'DE']
const unknown: Laboratory = [null, null]

/** What each kind of test is made against. */
const standards: Record<string, string[]> = {
  radio: ['EN 300 328 V2.2.2', 'FCC Part 15C'],
  emc: ['EN 301 489-17 V3.2.4', 'FCC Part 15B'],
  safety: ['EN IEC 62368-1:2020'],
  sar: ['EN 62209-2', 'FCC 47 CFR 2.1093'],
  environmental: ['IEC 60068-2-1', 'IEC 60068-2-6'],
  protocol: ['3GPP TS 36.523-1'],
  cybersecurity: ['EN 18031-1:2024'],
  energy: ['EN 50563'],
}

type State = readonly [status: string, result: string | null]
const passed: State = ['issued', 'pass']

/** `market`: the certificate that the report supports. `age`: days since the test ended; negative if it lies ahead. */
type Report = readonly [
  product: string,
  type: string | null,
  state: State,
  laboratory: Laboratory,
  market: string | null,
  age: number | null,
]

const reports: readonly Report[] = [
  ['lumen-gateway', 'radio', passed, nordlab, 'DE', 730],
  ['lumen-gateway', 'emc', passed, nordlab, 'DE', 724],
  ['lumen-gateway', 'safety', passed, nordlab, 'safety', 718],
  ['lumen-gateway', 'radio', passed, bayside, 'US', 520],
  ['lumen-gateway', 'radio', passed, hikari, 'JP', 715],
  ['lumen-gateway', 'cybersecurity', ['issued', 'pass_with_deviation'], nordlab, 'DE', 160],
  ['lumen-gateway-lte', 'radio', passed, nordlab, 'DE', 705],
  ['lumen-gateway-lte', 'protocol', passed, bayside, 'US', 702],
  ['lumen-gateway-lte', 'sar', ['draft', null], bayside, 'US', 9],
  ['lumen-gateway-lte', 'emc', ['in_testing', null], nordlab, null, -4],
  ['tracker-mini', 'radio', passed, nordlab, 'DE', 730],
  ['tracker-mini', 'sar', passed, bayside, 'US', 728],
  ['tracker-mini', 'environmental', ['issued', 'inconclusive'], own, null, 690],
  ['smartlock', 'radio', passed, hikari, 'JP', 740],
  ['smartlock', 'emc', passed, bayside, 'US', 735],
  ['smartlock', 'cybersecurity', ['planned', null], nordlab, null, -45],
  ['meternode', 'radio', passed, nordlab, 'DE', 745],
  ['meternode', 'environmental', ['withdrawn', 'pass'], own, null, 900],
  ['wifi-module', 'radio', passed, bayside, 'module', 760],
  ['chargepad', 'energy', passed, nordlab, 'DE', 733],
  ['chargepad', 'emc', ['issued', 'fail'], hikari, null, 410],
  ['chargepad', 'radio', ['cancelled', null], unknown, null, null],
  ['levelsense', 'radio', ['in_testing', null], own, null, -20],
  ['levelsense', null, ['planned', null], unknown, null, null],
  ['hub-classic', 'radio', ['superseded', 'pass'], bayside, 'US', 2500],
]

/** Import lines of all test reports as of a day. */
export const listReports = (day: string): ExampleLine[] =>
  reports.map(([name, type, [status, result], [laboratory, country], market, age], index) => {
    const product = `prd-${name}`
    const isOut = result !== null
    const end = age === null ? null : addDays(day, -age)
    const number = `EXD-TR-${String(index + 1).padStart(3, '0')}`
    const isRevised = result === 'pass_with_deviation'
    return {
      resource: 'lab',
      id: `lab-${name}-${String(index + 1).padStart(3, '0')}`,
      report_number: number,
      title: `${type ?? 'unspecified'} test of ${name}`,
      test_type: type,
      standards: type === null ? [] : standards[type],
      status,
      result,
      laboratory,
      laboratory_country_code: country,
      product_id: market === 'module' ? null : product,
      project_id: country === null ? null : findProject(product, country),
      certificate_id: market === null ? null : certificateId(product, market),
      supersedes_id: isRevised ? `lab-${name}-001` : null,
      tested_from: end === null ? null : addDays(end, -12),
      tested_until: status === 'in_testing' || status === 'planned' ? null : end,
      issued_on: isOut && end !== null ? addDays(end, 10) : null,
      revision: isRevised ? 2 : 1,
      document_url: isOut ? `https://documents.example/${number}.pdf` : null,
      tags: result === 'fail' ? ['attention'] : [],
    }
  })
