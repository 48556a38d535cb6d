import { once } from 'node:events'
import { createServer } from 'node:net'
import t from 'tap'
import { describeStartFault } from '../../app/main/start-fault.ts'

const readFault = async (place: { host: string; port: number }): Promise<unknown> => {
  const [error] = await once(createServer().listen(place), 'error')
  return error
}

t.test('names a used address and the variable that changes it', async (t) => {
  const first = createServer().listen(0, '127.0.0.1')
  t.teardown(() => void first.close())
  await once(first, 'listening')
  const { port } = first.address() as { port: number }
  const said = describeStartFault(await readFault({ host: '127.0.0.1', port }))
  t.match(said, `127.0.0.1:${port}`)
  t.match(said, /set PORT/)
})

t.test('names an address of another machine', async (t) => {
  const said = describeStartFault(await readFault({ host: '192.0.2.1', port: 0 }))
  t.match(said, '192.0.2.1')
  t.match(said, /set HOST/)
})

t.test('any other fault is described without a port', async (t) => {
  t.equal(describeStartFault(new Error('no disk')), 'The service cannot start: no disk')
  t.equal(describeStartFault('no disk'), 'The service cannot start: no disk')
  const refused = Object.assign(new Error('no file'), { code: 'EACCES', syscall: 'open' })
  t.equal(describeStartFault(refused), 'The service cannot start: no file')
})
