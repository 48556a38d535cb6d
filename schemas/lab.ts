import { z } from 'zod'
import { countryCode, date, field, identity, recordId, tags, text, texts, timestamps } from './fields.ts'

export const labReport = z
  .strictObject({
    ...identity('lab-lumen-gateway-004', 'lab-lumen-gateway-006'),
    report_number: field(text, 'The number as printed', 'EXD-TR-004', 'EXD-TR-006'),
    title: field(text, 'Title of the report', 'radio test of lumen-gateway'),
    test_type: field(
      z
        .enum(['radio', 'emc', 'safety', 'sar', 'environmental', 'protocol', 'cybersecurity', 'energy'])
        .nullable(),
      'Kind of test',
      'radio',
    ),
    standards: field(texts, 'Standards tested against', ['EN 300 328 V2.2.2', 'FCC Part 15C']),
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
    laboratory: field(text.nullable(), 'Name of the laboratory', 'Bayside Radio Testing, Inc.'),
    laboratory_country_code: field(countryCode.nullable(), 'Country of the laboratory', 'US'),
    product_id: field(recordId.nullable(), 'The product tested', 'prd-lumen-gateway', 'prd-tracker-mini'),
    project_id: field(recordId.nullable(), 'The project it belongs to', 'prj-1001', 'prj-1002'),
    certificate_id: field(recordId.nullable(), 'The certificate it supports', 'crt-lumen-gateway-us'),
    supersedes_id: field(recordId.nullable(), 'The report that this one replaces', null),
    tested_from: field(date.nullable(), 'First day of testing', '2025-06-12'),
    tested_until: field(date.nullable(), 'Last day of testing', '2025-06-24'),
    issued_on: field(date.nullable(), 'Day of issue', '2025-07-04'),
    revision: field(z.int().min(0).max(32767), 'Revision of the report', 1),
    document_url: field(
      text.nullable(),
      'Address of the document',
      'https://documents.example/EXD-TR-004.pdf',
    ),
    tags: tags('attention'),
    ...timestamps,
  })
  .meta({ id: 'LabReport', description: "A laboratory's test report" })
