/** In the order of the documentation. */
export const resourceNames = [
  'certificates',
  'products',
  'projects',
  'countries',
  'lab',
  'approvals',
] as const

export type ResourceName = (typeof resourceNames)[number]
