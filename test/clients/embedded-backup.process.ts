import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { instance, projectRoot, query, temporaryFolder } from '../db/embedded-instance.ts'
import { listExamples } from './examples.ts'
import { createFolder, run } from './run-examples.ts'

const guide = 'docs/operations.md'
const backup = listExamples(guide, readFileSync(join(projectRoot, guide), 'utf8')).find(({ code }) =>
  code.startsWith('test ! -e .data'),
)
const lines = backup?.code.trim().split('\n') ?? []

t.test('the four lines of the guide back up and restore the bundled PostgreSQL', async (t) => {
  t.equal(lines.length, 4)
  const folder = temporaryFolder(t)
  const tools = createFolder()
  symlinkSync(join(tools, 'bin'), join(folder, 'bin'))
  const { dataDir, start } = instance(t, { dataDir: join(folder, '.data'), settings: {} })
  const shell = (code: string) =>
    run(['bash', '-c', `set -e\n${code}`], folder, { DATA_DIR: dataDir, LOG_LEVEL: 'warn' })
  const [save, ...restore] = lines as [string, ...string[]]

  t.match(await shell('npx --no certdata migrate && npx --no certdata customers add acme --name Acme'), {
    status: 0,
  })
  const running = await start()
  t.equal((await shell(save)).status, 1, 'not while it runs')
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
