import { product } from '../../../schemas/product.ts'
import { defineResource } from './define.ts'

declare module './define.ts' {
  interface ResourceNames {
    products: true
  }
}

export const products = defineResource({
  name: 'products',
  rank: 2,
  version: 1,
  noun: 'product',
  contents: 'Names, models, status, radio technologies',
  schema: product,
  includes: {},
  filters: {
    id: 'equal',
    name: 'prefix',
    part_numbers: 'equal',
    model: 'prefix',
    brand: 'equal',
    product_status: 'equal',
    category: 'equal',
    technologies: 'equal',
    parent_product_id: 'equal',
    tags: 'equal',
    updated_at: 'range',
    created_at: 'range',
  },
  sorts: ['name', 'model', 'updated_at', 'created_at', 'id'],
  defaultSort: 'name',
  computed: {},
  computedForDay: false,
  elements: ['part_numbers', 'tags'],
  search: ['name', 'part_numbers', 'model', 'brand', 'manufacturer'],
  reads: ['products'],
  importing: {
    required: ['id', 'name'],
    initial: { product_status: 'active' },
    sameAs: {},
    expectedTransitions: {
      product_status: {
        draft: ['in_development'],
        in_development: ['active'],
        active: ['phase_out', 'discontinued'],
        phase_out: ['discontinued', 'active'],
      },
    },
  },
})
