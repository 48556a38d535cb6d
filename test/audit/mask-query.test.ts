import t from 'tap'
import { maskQuery } from '../../app/audit/mask-query.ts'

t.test('values of a query are masked, and nothing else is', (t) => {
  const masked = {
    'https://example.com/hook': 'https://example.com/hook',
    'https://example.com/hook?token=secret&q=a%20person': 'https://example.com/hook?token=***&q=***',
    'https://example.com/?secret': 'https://example.com/?***',
    'https://example.com/?a=b=c&=d&': 'https://example.com/?a=***&=***&***',
    'https://example.com/?': 'https://example.com/?***',
  }
  for (const [url, expected] of Object.entries(masked)) t.equal(maskQuery(url), expected)
  t.equal(maskQuery(null), null)
  t.equal(maskQuery(undefined), undefined)
  t.end()
})
