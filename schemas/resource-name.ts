/** The resources of the API, in the order in which documents list them. */
export const resourceNames = [
  'certificates',
  'products',
  'projects',
  'countries',
  'lab',
  'approvals',
] as const

export type ResourceName = (typeof resourceNames)[number]
