import type { Feature } from '../../feature.ts'

/** The operator imports records from files: JSON lines, or the tables of a house with a map of its columns. */
export const imports: Feature = {
  name: 'imports',
  commands: { import: () => import('./commands.ts') },
  firstSteps: [
    {
      purpose: 'Give it records',
      command: 'npx --no certdata import examples/records.ndjson --customer local',
    },
  ],
  guides: [{ name: 'import', audience: 'operators' }],
}
