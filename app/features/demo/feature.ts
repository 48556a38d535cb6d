import type { Feature } from '../../feature.ts'

/** A page about an example company. A button of it changes example records, and the service undoes each change. */
export const demo: Feature = {
  name: 'demo',
  tasks: () => import('./tasks.ts'),
  pages: [
    { path: '/demo', label: 'Demo', contents: 'questions about an example company, and their answers' },
  ],
  browserFolder: new URL('./browser/', import.meta.url),
  verifyFolder: new URL('./verify/', import.meta.url),
}
