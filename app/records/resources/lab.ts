import { labReport } from '../../../schemas/lab.ts'
import { defineResource } from './define.ts'

declare module './define.ts' {
  interface ResourceNames {
    lab: true
  }
}

export const lab = defineResource({
  name: 'lab',
  rank: 5,
  version: 1,
  noun: 'test report',
  contents: 'Test reports: standard, laboratory, result',
  schema: labReport,
  includes: {
    product: { resource: 'products', by: 'product_id' },
    certificate: { resource: 'certificates', by: 'certificate_id' },
  },
  filters: {
    id: 'equal',
    report_number: 'prefix',
    product_id: 'equal',
    project_id: 'equal',
    certificate_id: 'equal',
    test_type: 'equal',
    status: 'equal',
    result: 'equal',
    standards: 'equal',
    laboratory: 'equal',
    issued_on: 'range',
    tags: 'equal',
    updated_at: 'range',
    created_at: 'range',
  },
  sorts: ['issued_on', 'report_number', 'updated_at', 'created_at', 'id'],
  defaultSort: '-created_at',
  computed: {},
  computedForDay: false,
  elements: ['standards', 'tags'],
  search: ['report_number', 'title', 'laboratory'],
  reads: ['lab'],
  importing: {
    required: ['id', 'report_number', 'status'],
    initial: { revision: 1 },
    sameAs: { title: 'report_number' },
    expectedTransitions: {
      status: {
        planned: ['in_testing', 'cancelled'],
        in_testing: ['draft', 'cancelled'],
        draft: ['issued', 'cancelled'],
        issued: ['superseded', 'withdrawn'],
      },
    },
  },
})
