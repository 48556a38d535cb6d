import t from 'tap'
import { openRenamed } from '../../records/renamed.ts'

t.test('a renamed field has its new name in the feed', async (t) => {
  const { run, json } = await openRenamed(t)
  const token = (await json('changes')).page.next_token
  await run(`update products set maker = 'After'`)
  const { data } = (await json(`changes?after=${token}`)).data[0]
  t.equal(data.maker, 'After')
  t.notOk('manufacturer' in data)
})
