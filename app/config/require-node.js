const oldest = 24

/** Exits with a message if this Node is too old. `command` is for the message: it uses the package's Node. */
export const requireNode = (command) => {
  const { node } = process.versions
  if (Number(node.split('.')[0]) >= oldest) return
  process.stderr.write(
    `This is Node ${node}, and Node ${oldest} is the oldest that works: run \`${command}\`, which uses the Node that npm installed here, or install Node ${oldest}\n`,
  )
  process.exit(1)
}
