import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** Who runs in which container. */
const containers = { service: 'certdata-1', database: 'postgres', redis: 'valkey' } as const

/** Groups of processes that share processors by weight, as containers and services of systemd do. */
export type Groups = {
  /** What is started meanwhile, and all that comes of it, belongs to the group. */
  within<T>(name: keyof typeof containers, begin: () => Promise<T>): Promise<T>
  /** Everybody is on their own again. */
  dissolve(): void
}

/** Linux's control groups, version 1. */
const root = '/sys/fs/cgroup/cpu'
/** Of a container that does not say. */
const defaultWeight = 1_024
const packageRoot = join(import.meta.dirname, '../..')

type Compose = { services: Record<string, { cpu_shares?: number } | undefined> }

const weightOf = (container: string): number => {
  const { services }: Compose = parse(readFileSync(join(packageRoot, 'compose.yaml'), 'utf8'), {
    merge: true,
  })
  const service = services[container]
  if (!service) throw new Error(`compose.yaml has no service ${container}`)
  return service.cpu_shares ?? defaultWeight
}

/** Whoever is just ending can be moved nowhere, and its group stays until it has ended: empty, and nobody's concern. */
const unlessEnded = (act: () => void): void => {
  try {
    act()
  } catch {
    // It ended.
  }
}

/**
 * Groups that weigh what `compose.yaml` says of their containers. Without them Linux gives each session of PostgreSQL as
 * much of a core as the whole service; nobody who runs both on one machine in containers has it so.
 * @throws where no groups can be made: by others than root, and where the machine has none of version 1
 */
export const createGroups = (): Groups => {
  const folderOf = (name: string) => join(root, `certdata-${process.pid}-${name}`)
  const names = Object.keys(containers)
  try {
    for (const [name, container] of Object.entries(containers)) {
      mkdirSync(folderOf(name))
      writeFileSync(join(folderOf(name), 'cpu.shares'), String(weightOf(container)))
    }
  } catch (error) {
    throw new Error(`control groups are needed (root, and version 1 at ${root}): ${error}`)
  }
  const move = (pid: number | string, folder: string) => writeFileSync(join(folder, 'cgroup.procs'), `${pid}`)
  const membersOf = (folder: string): string[] =>
    readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)
  const dissolve = () => {
    process.removeListener('exit', dissolve)
    for (const name of names) {
      const folder = folderOf(name)
      for (const pid of membersOf(folder)) unlessEnded(() => move(pid, root))
      unlessEnded(() => rmdirSync(folder))
    }
  }
  process.once('exit', dissolve)
  return {
    async within(name, begin) {
      move(process.pid, folderOf(name))
      try {
        return await begin()
      } finally {
        move(process.pid, root)
      }
    },
    dissolve,
  }
}
