import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startService } from '../tools/service.ts'
import { generateTypes, type OpenApiDocument } from './generate.ts'

const service = await startService()
try {
  const answer = await fetch(`${service.url}/openapi.json`)
  const types = generateTypes((await answer.json()) as OpenApiDocument)
  writeFileSync(join(import.meta.dirname, 'src/types.ts'), types)
} finally {
  await service.stop()
}
