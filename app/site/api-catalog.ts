import { jsonType } from '../http/formats.ts'

/** RFC 9727, section 5.1. */
export const apiCatalogType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** RFC 9727, with the link relations of RFC 8631. `metadataPaths`: of documents about the service. `statusPath`: of a page about its state. */
export const apiCatalog = (
  publicUrl: string,
  metadataPaths: readonly string[],
  statusPath: string | undefined,
) => {
  const metadata = metadataPaths.map((path) => ({ href: publicUrl + path, type: jsonType }))
  return {
    linkset: [
      {
        anchor: `${publicUrl}/v1`,
        'service-desc': [{ href: `${publicUrl}/openapi.json`, type: jsonType }],
        'service-doc': [{ href: `${publicUrl}/docs`, type: 'text/html' }],
        ...(metadataPaths.length > 0 ? { 'service-meta': metadata } : {}),
        ...(statusPath === undefined
          ? {}
          : { status: [{ href: publicUrl + statusPath, type: 'text/html' }] }),
      },
    ],
  }
}
