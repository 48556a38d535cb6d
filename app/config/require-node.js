import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const oldest = 24
const packageRoot = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Returns a message if the version `node` is too old. `command` uses the Node that npm has installed below `root`, the
 * folder of the package.
 */
export const describeOldNode = ({ node, command, root }) => {
  if (Number(node.split('.')[0]) >= oldest) return undefined
  // While npm still installs, npx finds the system's Node.
  const remedy = existsSync(join(root, 'node_modules/.bin/node'))
    ? `run \`${command}\`, which uses the Node that npm installed here`
    : 'run `npm ci`, which installs one here, or wait until it has ended'
  return `This is Node ${node}, and Node ${oldest} is the oldest that works: ${remedy}, or install Node ${oldest}`
}

/** Exits with a message if this Node is too old. `command` is for the message: it uses the package's Node. */
export const requireNode = (command) => {
  const fault = describeOldNode({ node: process.versions.node, command, root: packageRoot })
  if (fault === undefined) return
  process.stderr.write(`${fault}\n`)
  process.exit(1)
}
