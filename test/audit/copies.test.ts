import { sql } from 'kysely'
import t from 'tap'
import type { ChainHead } from '../../app/audit/chain.ts'
import { recordEvents } from '../../app/audit/record.ts'
import { eraseCustomer, withoutPersonalData } from '../personal-data.ts'
import { findFaultAfter, openTrail } from './trail.ts'

t.test('verification finds changes by a superuser in copies', async (t) => {
  const { operator, owner, seal, verify } = await openTrail(t)
  for (let i = 0; i < 3; i++) {
    await recordEvents(operator, [
      { actor: 'key', action: 'login', customer: 'acme', keyId: 'k1' },
      { actor: 'operator', action: 'customers.list' },
      { actor: 'operator', action: 'customers.show', customer: 'globex' },
    ])
    await seal()
  }
  t.match(await verify(), { fault: null })

  const after = async (statements: string) => (await findFaultAfter(owner, statements))?.reason
  t.equal(await after('select 1'), undefined)
  const acme = `customer_id = 'acme' and number = 1`
  const cases: [string, RegExp][] = [
    [
      `update audit_copies set entry = replace(entry::text, 'login', 'logout')::json where ${acme}`,
      /copy .* changed/,
    ],
    [
      `update audit_copies set entry = ('{"outcome":"refused",' || substr(entry::text, 2))::json where ${acme}`,
      /copy .* changed/,
    ],
    [
      `update audit_copies set entry = ('{"more":1,' || substr(entry::text, 2))::json where ${acme}`,
      /copy .* changed/,
    ],
    [
      `update audit_copies set entry = json_build_object('customer', customer_id, 'number', number::text,
        'at', entry ->> 'at', 'action', action, 'outcome', outcome, 'key', key_id) where ${acme}`,
      /copy .* changed/,
    ],
    [`delete from audit_copies where ${acme}`, /copy .* deleted/],
    [`delete from audit_copies`, /copy .* deleted/],
    ...[
      "action = 'reads'",
      "outcome = 'refused'",
      "key_id = 'other'",
      'key_id = null',
      "at = at - interval '1 day'",
    ].map((change): [string, RegExp] => [
      `update audit_copies set ${change} where ${acme}`,
      /copy .* changed/,
    ]),
    [`update audit_copies set number = 999 where ${acme}`, /copy .* changed/],
    [`update audit_copies set customer_id = 'globex', number = 999 where ${acme}`, /copy .* changed/],
    [
      `insert into audit_copies (customer_id, number, entry_id, at, action, outcome, entry)
        select customer_id, 999, 999999, at, action, outcome, entry from audit_copies where ${acme}`,
      /copy .* inserted/,
    ],
    [
      `insert into audit_copies (customer_id, number, entry_id, at, action, outcome, entry)
        select 'acme', 999, e.entry_id, e.at, e.action, e.outcome, '{}' from audit_entries e
        where e.action = 'customers.list' limit 1`,
      /copy .* inserted/,
    ],
    [`update audit_seals set number = number + 1 where number = 1`, /entry or its seal/],
    [
      `create temporary table cut as select entry_id, seal_no from audit_seals
        where seal_no > (select max(seal_no) - 2 from audit_seals);
       delete from audit_entries where entry_id in (select entry_id from cut);
       delete from audit_seals where seal_no in (select seal_no from cut)`,
      /copy of the entry was inserted/,
    ],
  ]
  for (const [statements, expected] of cases) t.match(await after(statements), expected, statements)
})

t.test('verification finds changes by a superuser in a whole trail', async (t) => {
  const { database, operator, owner, seal } = await openTrail(t)
  const reasonAfter = async (statements: string, published?: ChainHead) =>
    (await findFaultAfter(owner, statements, published))?.reason
  const customers = ['acme', 'globex', 'acme', undefined, 'acme', 'globex', 'acme', undefined]
  await recordEvents(
    operator,
    customers.map((customer) => ({ actor: 'operator', action: 'customers.show', customer })),
  )
  const head = await seal()
  const [{ ref } = { ref: '' }] = (
    await sql<{
      ref: string
    }>`select audit_ref::text as ref from customers where customer_id = 'acme'`.execute(owner)
  ).rows
  const cutTail = `
    create temporary table cut on commit drop as select entry_id from audit_seals where seal_no > 4;
    delete from audit_entries where entry_id in (select entry_id from cut);
    delete from audit_persons where entry_id in (select entry_id from cut);
    delete from audit_copies where entry_id in (select entry_id from cut);
    delete from audit_seals where entry_id in (select entry_id from cut)`
  const erasure = JSON.stringify([
    { actor: 'operator', customer_ref: ref, action: 'customers.erase', outcome: 'ok', personal: {} },
  ])
  const cases: [string, string, RegExp | undefined][] = [
    ['nothing', 'select 1', undefined],
    [
      'all pseudonyms replaced, all copies deleted',
      'update customers set audit_ref = gen_random_uuid(); delete from audit_copies',
      /customer .* deleted or replaced/,
    ],
    ['a pseudonym replaced', `update customers set audit_ref = gen_random_uuid()`, /deleted or replaced/],
    [
      'a customer replaced by one of the same name',
      `delete from customers where customer_id = 'acme';
       insert into customers (customer_id, name, plan) values ('acme', 'Acme', 'premium')`,
      /deleted or replaced/,
    ],
    [
      'an erasure inserted',
      `select write_audit_entries('${erasure}');
       delete from audit_persons where customer = 'acme'; delete from audit_copies where customer_id = 'acme'`,
      /the customer still exists/,
    ],
    [
      'copies of two customers swapped',
      `update audit_copies set customer_id = 'globex', number = 100 + number where customer_id = 'acme';
       update audit_copies set customer_id = 'acme' where number < 100;
       update audit_copies set number = number - 100 where number > 100`,
      /copy .* changed/,
    ],
    ['entries renumbered', 'update audit_seals set number = number + 1', /entry or its seal/],
    [
      'entries renumbered with their copies',
      'update audit_seals set number = number + 1; update audit_copies set number = -number;' +
        'update audit_copies set number = 1 - number',
      /entry or its seal/,
    ],
  ]
  for (const [name, statements, expected] of cases) {
    const reason = await reasonAfter(statements, head)
    if (expected) t.match(reason, expected, name)
    else t.equal(reason, undefined, name)
  }
  t.equal(await reasonAfter(cutTail), undefined, 'a cut tail is not seen without its head')
  t.match(await reasonAfter(cutTail, head), /the chain was cut/)
  await t.test('an erasure is no fault', { skip: withoutPersonalData }, async (t) => {
    await eraseCustomer(database, 'acme')
    t.equal(await reasonAfter('select 1', head), undefined)
    await seal()
    t.equal(await reasonAfter('select 1', head), undefined, 'when it is sealed')
  })
})
