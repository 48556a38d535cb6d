/**
 * Node's `http`, for whoever needs more than its types. An `import` reads each of a module's exports, and one of these
 * is a getter that loads Node's client for WebSockets, 5 MiB that nobody here has a use for.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
