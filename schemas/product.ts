import { z } from 'zod'
import { field, identity, recordId, tags, text, texts, timestamps } from './fields.ts'

export const product = z
  .strictObject({
    ...identity('prd-lumen-gateway', 'prd-tracker-mini'),
    name: field(text, 'Product name', 'Lumen Gateway', 'Tracker Mini'),
    part_numbers: field(texts, "The customer's own article numbers and GTINs", [
      'EXD-LG200-EU',
      'EXD-LG200-US',
      '4012345000207',
    ]),
    model: field(text.nullable(), 'Model as type-approved', 'LG200'),
    brand: field(text.nullable(), 'Brand', 'Exampleware'),
    manufacturer: field(text.nullable(), 'Manufacturer', 'Example Devices GmbH'),
    product_status: field(
      z.enum(['draft', 'in_development', 'active', 'phase_out', 'discontinued']),
      'State of the product',
      'active',
    ),
    category: field(text.nullable(), 'Category, free text', 'IoT gateway', 'Radio module'),
    technologies: field(
      z.array(
        z.enum([
          'wifi',
          'bluetooth',
          'cellular',
          'nfc',
          'uwb',
          'srd',
          'gnss',
          'radar',
          'lpwan',
          'satellite',
          'wireless_power',
        ]),
      ),
      'Radio technologies on board',
      ['wifi', 'bluetooth', 'gnss'],
    ),
    hardware_version: field(text.nullable(), 'Hardware version', 'C1'),
    software_version: field(text.nullable(), 'Software version', '4.2.0'),
    parent_product_id: field(
      recordId.nullable(),
      'The product that this one is a variant of',
      'prd-lumen-gateway',
    ),
    tags: tags('connected-home'),
    ...timestamps,
  })
  .meta({ id: 'Product', description: 'A product of the customer' })
