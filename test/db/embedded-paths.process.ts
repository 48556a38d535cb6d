import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { findPackage } from '../../app/local/embedded/binaries.ts'
import { findClusterPaths, removeClusterPaths } from '../../app/local/embedded/cluster-paths.ts'
import { listShortFolders, shortFolder } from '../../app/local/embedded/short-folder.ts'
import { startEmbedded } from '../../app/local/embedded.ts'
import { instance, isRoot, projectCopy, projectRoot, query, temporaryFolder } from './embedded-instance.ts'

t.test('the path may contain any character', async (t) => {
  const packageRoot = projectCopy(t, `it's "a" $HOME\`x\` 100%20 dir, ü`)
  const { start, logged } = instance(t, { packageRoot, dataDir: '.data' })
  const first = await start()
  await query(first.url, 'create table kept as select 1 as one')
  await first.release()
  const second = await start()
  t.strictSame(await query(second.url, 'select one from kept'), [[1]])
  t.equal(second.directory, join(packageRoot, '.data'))
  t.match(logged.join('\n'), /using a copy in/)
  await second.release()
})

t.test('a path too long for a socket gets its socket in a short folder', async (t) => {
  const packageRoot = projectCopy(t, 'long'.repeat(30))
  const { start, logged } = instance(t, { packageRoot, dataDir: '.data' })
  const server = await start()
  t.strictSame(await query(server.url, 'select 1'), [[1]])
  t.match(logged.join('\n'), /too long for a socket/)
  t.ok(existsSync(join(server.directory, 'postgres', 'PG_VERSION')), 'the data stay')
  t.ok(
    lstatSync(join(findPackage(packageRoot).native, 'lib', 'libpq.so.5')).isSymbolicLink(),
    'links that npm was not allowed to make are made',
  )
  await server.release()
})

t.test('a path too long for PostgreSQL gets data and socket in a short folder', async (t) => {
  const folder = temporaryFolder(t)
  const { start, logged } = instance(t, { dataDir: join(folder, ...Array(5).fill('long'.repeat(50))) })
  const server = await start()
  t.strictSame(await query(server.url, 'select 1'), [[1]])
  t.match(logged.join('\n'), /cannot work with the path/)
  await server.release()
})

t.test(
  'under a closed home folder, data and programs are stored in a folder that the server can reach',
  { skip: !isRoot },
  async (t) => {
    const packageRoot = projectCopy(t, 'home')
    chmodSync(dirname(packageRoot), 0o700)
    const { dataDir, start, logged } = instance(t, { packageRoot, dataDir: '.data' })
    const first = await start()
    t.match(logged.join('\n'), /cannot reach .*its database is in .*certdata-[0-9a-f]{16}/)
    t.match(logged.join('\n'), /using a copy in/)
    t.equal(first.directory, join(packageRoot, '.data'))
    await query(first.url, 'create table kept as select 1 as one')
    await first.release()

    chmodSync(dirname(packageRoot), 0o755)
    const second = await start()
    t.strictSame(
      await query(second.url, 'select one from kept'),
      [[1]],
      'found again, even when the way is open',
    )
    await second.release()

    chmodSync(dirname(packageRoot), 0o700)
    rmSync(dataDir, { recursive: true })
    const anew = await start()
    t.strictSame(
      await query(anew.url, "select to_regclass('kept')"),
      [[null]],
      'a removed data folder begins anew',
    )
    t.match(logged.join('\n'), /set aside/)
    await anew.release()
  },
)

const devices = [
  { device: 'the same', isMounted: false },
  { device: 'another', isMounted: true },
]
for (const { device, isMounted } of devices)
  t.test(
    `a stopped database in a closed folder on ${device} file system is moved`,
    { skip: !isRoot },
    async (t) => {
      const folder = join(temporaryFolder(t), 'closed')
      mkdirSync(folder)
      if (isMounted) {
        const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', folder])
        if (mount.status !== 0) return t.comment('this user may mount nothing: NOT tested')
        t.teardown(() => execFileSync('umount', [folder]))
      }
      chmodSync(folder, 0o755)
      const { dataDir, start, logged } = instance(t, { dataDir: join(folder, 'data') })
      const cluster = join(dataDir, 'postgres')
      const open = await start()
      await query(open.url, 'create table kept as select 1 as one')
      await open.release()
      chmodSync(folder, 0o700)
      const file = join(cluster, 'postmaster.pid')
      writeFileSync(file, '')
      await t.rejects(start(), /did not stop: give it access/)
      rmSync(file)

      const moved = await start()
      t.strictSame(await query(moved.url, 'select one from kept'), [[1]])
      t.match(logged.join('\n'), /the database in \S+ was moved to \S+certdata-/)
      await moved.release()
      t.ok(lstatSync(cluster).isSymbolicLink())
      t.notOk(existsSync(`${cluster}.moved`), 'no second copy')

      renameSync(cluster, `${cluster}.link`)
      const again = await start()
      t.strictSame(await query(again.url, 'select one from kept'), [[1]], 'an interrupted move is finished')
      await again.release()
    },
  )

t.test('a folder that another process removes is not reported as unreachable', async (t) => {
  const dataDir = join(temporaryFolder(t), 'data')
  const remover = spawn('/bin/sh', ['-c', 'while :; do rmdir "$0" 2>&-; done', dataDir])
  t.teardown(() => remover.kill())
  t.teardown(() => removeClusterPaths({ directory: dataDir, home: dataDir }))
  await once(remover, 'spawn')
  const moved = Array.from({ length: 10 }, () => findPlacesOnce(dataDir)?.moved)
  t.same(
    moved.filter((reason) => reason),
    [],
  )
})

/** Returns `undefined` if the folder was removed in the meantime. */
const findPlacesOnce = (dataDir: string) => {
  try {
    return findClusterPaths(dataDir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

t.test('a short folder that another user could have created is refused', async (t) => {
  const directory = join(temporaryFolder(t), 'data')
  const folder = shortFolder(directory)
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  t.equal(shortFolder(directory), folder, 'found again')
  t.strictSame(listShortFolders(directory), [folder])
  chmodSync(folder, 0o777)
  t.throws(() => shortFolder(directory), /only uid/)
  rmSync(folder, { recursive: true })
  symlinkSync(dirname(directory), folder)
  t.throws(() => shortFolder(directory), /only uid/)
})

t.test('a cluster that was moved keeps its name', async (t) => {
  const dataDir = temporaryFolder(t)
  symlinkSync('../pgdata', join(dataDir, 'postgres'))
  t.throws(() => findClusterPaths(dataDir), /rename that folder to postgres/, 'no empty cluster next to it')
})

t.test('a folder that cannot hold a link to its database gets none, however often it starts', async (t) => {
  const dataDir = join(temporaryFolder(t), ...Array(5).fill('long'.repeat(50)))
  const { start } = instance(t, { dataDir })
  const { home } = findClusterPaths(dataDir)
  const change = isRoot ? ['chattr', '+i', '-i'] : ['chmod', '0555', '0755']
  const [program = '', forbid = '', allow = ''] = change
  t.teardown(() => execFileSync(program, [allow, dataDir]))
  execFileSync(program, [forbid, dataDir])
  for (const attempt of [1, 2, 3]) {
    await t.rejects(
      start(),
      /cannot have a link to it \(E\w+\): name another folder in DATA_DIR/,
      `${attempt}`,
    )
    const clusters = readdirSync(home).filter((name) => name.startsWith('postgres'))
    t.strictSame(clusters, [], 'no database is created or set aside')
  }
  execFileSync(program, [allow, dataDir])
  await (await start()).release()
  t.ok(lstatSync(join(dataDir, 'postgres')).isSymbolicLink())
})

const mounts = [
  { name: 'full', options: 'size=20m', message: /free some space there, or name another folder in DATA_DIR/ },
  { name: 'read-only', options: 'ro', message: /name another folder in DATA_DIR, or set DATABASE_URL/ },
]
for (const { name, options, message } of mounts)
  t.test(`a ${name} file system: the start names the next step and leaves nothing`, async (t) => {
    const folder = temporaryFolder(t)
    const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder])
    if (mount.status !== 0) return t.comment('this user may mount nothing: NOT tested')
    const unmount = () => execFileSync('umount', [folder])
    const start = () =>
      startEmbedded({ dataDir: join(folder, 'data'), packageRoot: projectRoot, log: () => {} })
    try {
      for (const _attempt of [1, 2]) await t.rejects(start(), message)
      const left = existsSync(join(folder, 'data')) ? readdirSync(join(folder, 'data')) : []
      t.strictSame(
        left.filter((entry) => entry.startsWith('postgres')),
        [],
      )
    } finally {
      unmount()
    }
  })
