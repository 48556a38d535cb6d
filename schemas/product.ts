import { z } from 'zod'
import { field, identity, recordId, tags, text, texts, timestamps } from './fields.ts'

export const product = z
  .strictObject({
    ...identity,
    name: field(text, 'Product name', 'Thunder'),
    part_numbers: field(texts, "The customer's own article numbers and GTINs", ['TH-940', '4006381333931']),
    model: field(text.nullable(), 'Model as type-approved', 'TH940'),
    brand: field(text.nullable(), 'Brand', 'A10'),
    manufacturer: field(text.nullable(), 'Manufacturer', 'A10 Networks, Inc'),
    product_status: field(
      z.enum(['draft', 'in_development', 'active', 'phase_out', 'discontinued']),
      'State of the product',
      'active',
    ),
    category: field(text.nullable(), 'Category, free text', 'Cryptographic Module'),
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
      ['wifi', 'bluetooth'],
    ),
    hardware_version: field(text.nullable(), 'Hardware version', 'B2'),
    software_version: field(text.nullable(), 'Software version', '4.1.4'),
    parent_product_id: field(recordId.nullable(), 'The product this is a variant of', '63c140bf3b739a23'),
    tags,
    ...timestamps,
  })
  .meta({ id: 'Product', description: 'A product of the customer' })
