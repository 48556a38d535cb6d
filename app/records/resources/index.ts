import { approvals } from './approvals.ts'
import { certificates } from './certificates.ts'
import { countries } from './countries.ts'
import type { Resource, ResourceName } from './define.ts'
import { lab } from './lab.ts'
import { products } from './products.ts'
import { projects } from './projects.ts'

export const resources: Readonly<Record<ResourceName, Resource>> = {
  certificates,
  products,
  projects,
  countries,
  lab,
  approvals,
}

export { resourceNames } from '../../../schemas/resource-name.ts'
