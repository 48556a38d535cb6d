import { project } from '../../../schemas/project.ts'
import { defineResource } from './define.ts'

declare module './define.ts' {
  interface ResourceNames {
    projects: true
  }
}

export const projects = defineResource({
  name: 'projects',
  rank: 3,
  version: 1,
  noun: 'project',
  contents: 'Project numbers, status, classification, your tags',
  schema: project,
  includes: {},
  filters: {
    id: 'equal',
    project_number: 'prefix',
    customer_reference: 'equal',
    status: 'equal',
    classification: 'equal',
    product_ids: 'equal',
    country_codes: 'equal',
    tags: 'equal',
    ordered_on: 'range',
    due_on: 'range',
    completed_on: 'range',
    updated_at: 'range',
    created_at: 'range',
  },
  sorts: ['project_number', 'due_on', 'ordered_on', 'updated_at', 'created_at', 'id'],
  defaultSort: '-created_at',
  computed: {},
  computedForDay: false,
  elements: ['product_ids', 'country_codes', 'tags'],
  search: ['project_number', 'customer_reference', 'title'],
  reads: ['projects'],
  importing: {
    required: ['id', 'project_number'],
    initial: { status: 'draft' },
    sameAs: { title: 'project_number' },
    expectedTransitions: {
      status: {
        draft: ['quoted', 'cancelled'],
        quoted: ['ordered', 'declined', 'cancelled'],
        ordered: ['in_progress', 'cancelled'],
        in_progress: ['completed', 'on_hold', 'cancelled'],
        on_hold: ['in_progress', 'cancelled'],
      },
    },
  },
})
