const oldest = 24

/** Ends the process with one sentence if this Node is too old. `command`: the one that runs with the package's own Node. */
export const requireNode = (command) => {
  const { node } = process.versions
  if (Number(node.split('.')[0]) >= oldest) return
  process.stderr.write(
    `This is Node ${node}, and Node ${oldest} is the oldest that works: run \`${command}\`, which uses the Node that npm installed here, or install Node ${oldest}\n`,
  )
  process.exit(1)
}
