import type { Feature } from '../../feature.ts'

/** Checks from outside that a running service keeps its promises. Cases of the kernel are in `cases/`. */
export const verify: Feature = {
  name: 'verify',
  commands: { verify: () => import('./commands.ts') },
}
