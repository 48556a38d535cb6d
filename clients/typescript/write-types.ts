import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatePythonResources, generatePythonTypes } from '../python/generate.ts'
import { startService } from '../tools/service.ts'
import { generateTypes, type OpenApiDocument } from './generate.ts'

const service = await startService()
try {
  const answer = await fetch(`${service.url}/openapi.json`)
  const document = (await answer.json()) as OpenApiDocument
  writeFileSync(join(import.meta.dirname, 'src/types.ts'), generateTypes(document))
  const python = join(import.meta.dirname, '../python/src/certdata_client')
  writeFileSync(join(python, 'types.py'), generatePythonTypes(document))
  writeFileSync(join(python, 'resources.py'), generatePythonResources(document))
} finally {
  await service.stop()
}
