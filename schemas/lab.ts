import { z } from 'zod'
import { countryCode, date, field, identity, recordId, tags, text, texts, timestamps } from './fields.ts'

export const labReport = z
  .strictObject({
    ...identity,
    report_number: field(text, 'The number as printed', 'NSCIB-CC-2400004-01-CR'),
    title: field(text, 'Title of the report', 'Certification report: Thunder'),
    test_type: field(
      z
        .enum(['radio', 'emc', 'safety', 'sar', 'environmental', 'protocol', 'cybersecurity', 'energy'])
        .nullable(),
      'What was tested',
      'radio',
    ),
    standards: field(texts, 'Standards tested against', ['EN 300 328', 'FCC Part 15C']),
    status: field(
      z.enum(['planned', 'in_testing', 'draft', 'issued', 'superseded', 'withdrawn', 'cancelled']),
      'State of the report',
      'issued',
    ),
    result: field(
      z.enum(['pass', 'fail', 'pass_with_deviation', 'inconclusive']).nullable(),
      'Verdict; null until issued',
      'pass',
    ),
    laboratory: field(text.nullable(), 'Name of the laboratory', 'Brightsight'),
    laboratory_country_code: field(countryCode.nullable(), 'Country of the laboratory', 'NL'),
    product_id: field(recordId.nullable(), 'The product tested', '63c140bf3b739a24'),
    project_id: field(recordId.nullable(), 'The project it belongs to', 'P-2026-0042'),
    certificate_id: field(recordId.nullable(), 'The certificate it supports', '117180b868e936fa'),
    supersedes_id: field(recordId.nullable(), 'The report this one replaces', '90eea97aacc14710'),
    tested_from: field(date.nullable(), 'First day of testing', '2024-06-03'),
    tested_until: field(date.nullable(), 'Last day of testing', '2024-07-12'),
    issued_on: field(date.nullable(), 'Day of issue', '2024-09-30'),
    revision: field(z.int().min(0).max(32767), 'Revision of the report', 1),
    document_url: field(text.nullable(), 'Address of the document', 'https://example.org/report.pdf'),
    tags,
    ...timestamps,
  })
  .meta({ id: 'LabReport', description: "A laboratory's test report" })
