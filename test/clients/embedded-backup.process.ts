import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { instance, isRoot, projectRoot, query, temporaryFolder } from '../db/embedded-instance.ts'
import { listExamples } from './examples.ts'
import { createFolder, run } from './run-examples.ts'

const guide = 'docs/operations.md'
const backup = listExamples(guide, readFileSync(join(projectRoot, guide), 'utf8')).find(({ code }) =>
  code.startsWith('test ! -e .data'),
)
const lines = backup?.code.trim().split('\n') ?? []

/** Prepares the example's folder. `shell` runs lines of the guide there. */
const prepare = (t: Test) => {
  const folder = temporaryFolder(t)
  symlinkSync(join(createFolder(), 'bin'), join(folder, 'bin'))
  const { dataDir, start } = instance(t, { dataDir: join(folder, '.data'), settings: {} })
  const shell = (code: string) =>
    run(['bash', '-c', `exec 2>&1\nset -e\n${code}`], folder, { DATA_DIR: dataDir, LOG_LEVEL: 'warn' })
  return { folder, dataDir, start, shell }
}

t.test('the four lines of the guide back up and restore the bundled PostgreSQL', async (t) => {
  t.equal(lines.length, 4)
  const { folder, start, shell } = prepare(t)
  const [save, ...restore] = lines as [string, ...string[]]

  t.match(await shell('npx --no certdata migrate && npx --no certdata customers add acme --name Acme'), {
    status: 0,
  })
  const running = await start()
  const refused = await shell(save)
  t.match(refused, { status: 1, output: /stop the service first/ }, 'not while it runs')
  t.notOk(existsSync(join(folder, 'certdata.tgz')))
  await running.release()
  t.match(await shell(save), { status: 0 })
  t.equal(statSync(join(folder, 'certdata.tgz')).mode & 0o777, 0o600, 'it has secrets')

  const lost = await start()
  await query(lost.url, "update customers set name = 'changed after the backup'")
  await lost.release()
  const restored = await shell(restore.join('\n'))
  t.match(restored, { status: 0, output: /intact|entries|verified/ })
  const again = await start()
  t.same(await query(again.url, 'select name from customers where customer_id = $$acme$$'), [['Acme']])
  await again.release()
})

t.test(
  'the lines restore a database that is outside of a closed data folder',
  { skip: !isRoot },
  async (t) => {
    const { folder, dataDir, start, shell } = prepare(t)
    chmodSync(folder, 0o700)
    const [save, ...restore] = lines as [string, ...string[]]
    const made = await shell('npx --no certdata migrate && npx --no certdata customers add acme --name Acme')
    t.match(made, { status: 0 })
    const place = /its database is in (\S+)/
    const home = place.exec(made.output)?.[1] ?? ''
    t.ok(lstatSync(join(dataDir, 'postgres')).isSymbolicLink())
    const listed = await shell('npx --no certdata customers list')
    t.notMatch(listed.output, place, 'only migrate and the service say where the database is')
    t.match(await shell(save), { status: 0 })

    const lost = await start()
    await query(lost.url, "update customers set name = 'changed after the backup'")
    await lost.release()
    const restored = await shell(restore.join('\n'))
    t.match(restored, { status: 0, output: /set aside in \S+postgres\.left-\d+/ })
    t.ok(lstatSync(join(dataDir, 'postgres')).isSymbolicLink())
    t.equal(dirname(realpathSync(join(dataDir, 'postgres'))), home)
    t.equal(readdirSync(home).filter((name) => name.startsWith('postgres.left-')).length, 1)
    const again = await start()
    t.same(await query(again.url, 'select name from customers where customer_id = $$acme$$'), [['Acme']])
    await again.release()
  },
)
