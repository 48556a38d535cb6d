import t from 'tap'
import { formatTable } from '../../app/operator/cli/table.ts'
import { run } from '../command-line.ts'

const plain = { isWide: false, hasColors: false }
const row = {
  ...{ key_id: 'k3v9x2m7q4d8s1fa', customer: 'acme', state: 'active' },
  ...{ scopes: Array.from({ length: 6 }, (_, n) => `resource-${n}:read`), none: null },
  ...{ created_at: '2026-11-26T09:30:12.123456Z', kid: 'a'.repeat(43), last: 'b'.repeat(43) },
}

t.test('a table fits 120 columns, and says which columns do not fit', async (t) => {
  const lines = formatTable([row, row], '', plain).split('\n')
  t.ok(lines.every((line) => line.length <= 120))
  t.match(lines, [
    /^key_id +customer +state +scopes +created_at$/,
    /^k3v9x2m7q4d8s1fa {2}acme {6}active {2}resource-0:read resource-1:… {2}2026-11-26 09:30$/,
    String,
    'Not shown: kid, last (--wide)',
  ])
  t.notMatch(lines.join('\n'), 'none', 'columns without values are left out')
})

t.test('--wide shows everything', async (t) => {
  const wide = formatTable([row], '', { ...plain, isWide: true })
  for (const text of ['none', 'resource-5:read', '2026-11-26T09:30:12.123456Z', 'b'.repeat(43)])
    t.match(wide, text)
  t.equal(formatTable([], 'nothing yet', plain), 'nothing yet')
})

t.test('states have colours', async (t) => {
  const states = ['active', 'revoked', 'pending', 'unknown'].map((state) => ({ state }))
  const text = formatTable(states, '', { isWide: false, hasColors: true })
  t.equal(
    text,
    '\u001b[1mstate\u001b[22m\n\u001b[32mactive\u001b[39m\n\u001b[31mrevoked\u001b[39m\n\u001b[33mpending\u001b[39m\nunknown',
  )
  t.match(await run(['keys', 'list', '--help']), { stdout: /--wide/ })
})
