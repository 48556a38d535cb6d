import t from 'tap'
import { openRenamed } from '../../records/renamed.ts'

t.test('a renamed field has its new name in history', async (t) => {
  const { run, json } = await openRenamed(t)
  await run(`update products set maker = 'After'`)
  const history = await json('products/p/history')
  t.same(history.data[0].changes, { maker: { from: 'Before', to: 'After' } })
})
