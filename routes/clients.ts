import { readFileSync } from 'node:fs'
import { ApiError } from '../app/errors.ts'
import { clients } from '../app/features/clients/feature.ts'
import { type ClientPackage, findPackages, packagesFolder } from '../app/features/clients/packages.ts'
import { clientsPage } from '../app/features/clients/page.ts'
import { renderReadme } from '../app/features/clients/readme.ts'
import { once } from '../app/site/once.ts'
import type { FeatureRoutes } from '../plugins/feature-routes.ts'
import { immutable } from '../plugins/pages.ts'

const packageTypes: Readonly<Record<ClientPackage['language'], string>> = {
  typescript: 'application/gzip',
  python: 'application/zip',
}

const toMissingError = (packages: readonly ClientPackage[] | undefined): ApiError => {
  const detail = packages
    ? `The packages of this release are ${packages.map(({ file }) => `/clients/${file}`).join(' and ')}`
    : 'The packages of the clients were not built for this service. Its operator runs npm run build:clients and starts the service again'
  return new ApiError('not_found', { detail })
}

/** Returns the routes for the packages in `folder`, which is read when the service starts. */
export const createClientRoutes = (folder: URL): FeatureRoutes => ({
  public: async (app, { publicUrl, config: { demoToken } }) => {
    const packages = findPackages(folder)
    const page = once(() => {
      const options = { publicUrl, demoToken, shownFiles: clients.shownFiles ?? {} }
      const readmes = {
        typescript: renderReadme('typescript', options),
        python: renderReadme('python', options),
      }
      return app.site.toPage(clientsPage({ publicUrl, packages, readmes }))
    })
    app.get('/clients/', (_request, reply) => reply.sendPage(page()))
    app.get('/clients', (_request, reply) => reply.redirect('/clients/', 308))
    const files = new Map(
      (packages ?? []).map(({ file, language }) => {
        const read = once(() => readFileSync(new URL(file, folder)))
        return [file, { type: packageTypes[language], read }] as const
      }),
    )
    app.get<{ Params: { file: string } }>('/clients/:file', ({ params }, reply) => {
      const found = files.get(params.file)
      if (!found) throw toMissingError(packages)
      // Not compressed: pip and browsers must get the bytes of the hash.
      return reply.header('cache-control', immutable).type(found.type).send(found.read())
    })
  },
})

export const clientRoutes: FeatureRoutes = createClientRoutes(packagesFolder)
