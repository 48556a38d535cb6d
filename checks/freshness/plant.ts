import { editSources } from '../../test/edit-sources.ts'
import { edits, isEdited } from './edits.ts'

// `node --import 'plant.ts?<fault>' instance.ts` starts an instance with the fault of that name.

const name = new URL(import.meta.url).search.slice(1)
if (!isEdited(name)) throw new Error(`no edit has the name ${name}`)
editSources(edits[name])
