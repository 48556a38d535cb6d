import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as certdata from 'certdata-client'
import { judge, pureFiles, toQuery } from './pure.js'
import { startScript } from './script.js'

// Runs every vector on the installed package. `vectors` is next to this folder, or two levels up in the
// project.

const folder = process.env.CERTDATA_VECTORS
const read = (name) => JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8'))
const counts = read('counts')

const quick = { firstDelayMs: 1 }
const getClient = (url) => certdata.createClient({ url, token: 'x', retry: quick })

test('there are as many vectors as were counted, and no file that nobody runs', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'counts.json')
  const found = Object.fromEntries(files.map((name) => [name.slice(0, -5), read(name.slice(0, -5)).length]))
  assert.deepEqual(found, counts)
  assert.deepEqual(Object.keys(counts).sort(), [...pureFiles, 'changes', 'etags', 'pages', 'walks'].sort())
  assert.ok(Object.values(counts).every((count) => count > 0))
})

for (const file of pureFiles) {
  for (const vector of read(file)) {
    test(`${file}: ${vector.name}`, async () => {
      assert.equal(await judge(certdata, file, vector), undefined)
    })
  }
}

for (const { name, exchanges } of read('etags')) {
  test(`etags: ${name}`, async (t) => {
    const script = await startScript(
      t,
      exchanges.map(({ answer }) => answer),
    )
    const client = getClient(script.url)
    for (const [
      index,
      { ask, if_none_match: tag, body, not_modified: notModified, error },
    ] of exchanges.entries()) {
      const asking = client.request(ask.path, toQuery(ask.query), { fresh: ask.fresh === true })
      if (error) await assert.rejects(asking, { code: error })
      else {
        const answer = await asking
        assert.deepEqual(answer.body, body)
        assert.equal(answer.notModified, notModified)
        // Changing a returned body must not change the cached one.
        answer.body.spoilt = true
      }
      const { headers } = script.asked[index]
      assert.equal(headers['if-none-match'] ?? null, tag)
      assert.equal(headers['cache-control'] === 'no-cache', ask.fresh === true)
    }
  })
}

for (const { name, query, answers, requests, ids } of read('pages')) {
  test(`pages: ${name}`, async (t) => {
    const script = await startScript(t, answers)
    const seen = []
    for await (const { id } of getClient(script.url).all('products', toQuery(query))) seen.push(id)
    assert.deepEqual(seen, ids)
    assert.deepEqual(
      script.asked.map(({ target }) => target),
      requests,
    )
  })
}

const walks = {
  history: (client, of, query) => client.history(...of, query),
  history_of_all: (client, _, query) => client.historyOfAll(query),
  audit: (client, _, query) => client.audit(query),
  export_audit: (client, _, query) => client.exportAudit(query),
  changes: (client, _, query) => client.changes(query),
  stream_changes: (client, _, query) => client.streamChanges(query),
}

for (const { name, walk, of, query, answers, requests, items, error } of read('walks')) {
  test(`walks: ${name}`, async (t) => {
    const script = await startScript(t, answers)
    const seen = []
    const walking = async () => {
      for await (const item of walks[walk](getClient(script.url), of, toQuery(query))) seen.push(item)
    }
    await (error ? assert.rejects(walking(), { code: error }) : walking())
    assert.deepEqual(seen, items)
    assert.deepEqual(
      script.asked.map(({ target }) => target),
      requests,
    )
  })
}

const getStore = (token, calls) => ({
  loadToken: async () => token ?? undefined,
  async replaceAll(state, next) {
    const ids = []
    for await (const { id } of state) ids.push(id)
    calls.push({ call: 'replace_all', ids, token: next })
  },
  async apply(changes, next) {
    calls.push({ call: 'apply', changes: changes.map(({ op, id }) => `${op} ${id}`), token: next })
  },
})

for (const vector of read('changes')) {
  const { name, token, answers, requests, calls, error, following = {}, catch_up: isOnce } = vector
  test(`changes: ${name}`, async (t) => {
    const script = await startScript(t, answers)
    const made = []
    const onRestart = ({ code }) => made.push({ call: 'restart', code })
    const filter = toQuery(following.filter)
    const options = { ...following, filter, resources: ['products'], onRestart }
    const [client, store] = [getClient(script.url), getStore(token, made)]
    const doing = isOnce ? client.catchUp(store, options) : client.follow(store, options)
    await (error ? assert.rejects(doing, { code: error }) : doing)
    assert.deepEqual(made, calls)
    assert.deepEqual(
      script.asked.map(({ target }) => target),
      requests,
    )
  })
}
