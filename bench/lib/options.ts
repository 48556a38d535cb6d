import { basename } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'

const findCommand = (): string => {
  const name = basename(process.argv[1] ?? '', '.ts')
  return name === 'run' ? 'bench' : `bench:${name}`
}

/** Returns a line with the options of a command and their defaults. */
export const describeUsage = (
  command: string,
  { options = {}, allowPositionals = false }: ParseArgsConfig,
): string => {
  const known = Object.entries(options).map(([name, { type, default: usual }]) =>
    type === 'boolean' ? `[--${name}]` : `[--${name} ${usual === undefined || usual === '' ? '…' : usual}]`,
  )
  return [`npm run ${command} --`, ...known, ...(allowPositionals ? ['[name…]'] : [])].join(' ')
}

/** Parses the options of a bench. Ends the process with their names for `--help`, and with code 2 if one is unknown. */
export const readOptions = <Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> => {
  const usage = `${describeUsage(findCommand(), config)}\nbench/README.md explains them under "Options".`
  if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
    console.log(usage)
    process.exit()
  }
  try {
    return parseArgs(config)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`)
    process.exit(2)
  }
}
