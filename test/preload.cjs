const nodeModule = require('node:module')

// Node loads this before tap's hooks, which record each file that tests and their child processes load. That is for
// coverage, which is off, and takes a third of the time of a small test file.
const { registerHooks } = nodeModule
// tap registers its hooks once. A test may register its own later.
nodeModule.registerHooks = () => {
  nodeModule.registerHooks = registerHooks
  nodeModule.syncBuiltinESMExports()
}
nodeModule.syncBuiltinESMExports()
const options = process.env.NODE_OPTIONS?.replace(/"?--import=\S*processinfo\S*"?/, '').trim()
if (options) process.env.NODE_OPTIONS = options
else delete process.env.NODE_OPTIONS
