/** `publicUrl` has no slash at its end. */
export type SiteOptions = Readonly<{
  publicUrl: string
  demoToken: string
}>
