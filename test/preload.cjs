const nodeModule = require('node:module')

// Disables tap's hooks, which record the loaded files for coverage. They take a third of the time of a small test file.
const { registerHooks } = nodeModule
// tap registers its hooks with the first call. Later calls are from tests.
nodeModule.registerHooks = () => {
  nodeModule.registerHooks = registerHooks
  nodeModule.syncBuiltinESMExports()
}
nodeModule.syncBuiltinESMExports()
// Node removes types without moving code, so no source map is needed.
process.setSourceMapsEnabled(false)
const options = process.env.NODE_OPTIONS?.replace(/"?--import=\S*processinfo\S*"?/, '').trim()
if (options) process.env.NODE_OPTIONS = options
else delete process.env.NODE_OPTIONS

// Appends the processor time of this file and its child processes, in seconds.
const { isMainThread } = require('node:worker_threads')
const [, file = ''] = process.argv
if (process.env.TEST_TIMES && isMainThread && /\.(test|process)\.ts$/.test(file))
  process.once('exit', () => {
    const { appendFileSync, readFileSync } = require('node:fs')
    const { user, system } = process.cpuUsage()
    let children = 0
    try {
      // cutime and cstime of proc(5), in hundredths of a second.
      const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')
      children = (Number(fields[13]) + Number(fields[14])) / 100
    } catch {}
    const seconds = (user + system) / 1e6 + children
    appendFileSync(
      process.env.TEST_TIMES,
      `${seconds.toFixed(2)} ${require('node:path').relative('', file)}\n`,
    )
  })
