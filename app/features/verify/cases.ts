import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Check, type Expectations, type Expected, fill, Skipped, type World } from './check.ts'
import { readJson, type ServiceAnswer } from './service.ts'

/** A value of this answer for later cases of the promise: the group of `pattern`, or the whole value. */
type Lesson = Readonly<{ header?: string; json?: string; pattern?: string }>

// Texts may contain placeholders. A missing value skips the promise. A stranger sends no token.
type Case = Readonly<{
  path: string
  method?: string
  as?: 'stranger' | 'customer'
  send?: Readonly<Record<string, string>>
  body?: string
  status?: number
  withinMs?: number
  hasOwnErrors?: true
  code?: string
  headers?: Expectations
  json?: Expectations
  text?: Expected
  learn?: Readonly<Record<string, Lesson>>
}>

/** `each`: members that a case has unless it sets them. `scope`: a key without it skips the promise. */
type PromiseCases = Readonly<{
  promise: string
  isCostly?: true
  scope?: string
  each?: Partial<Case>
  cases: readonly Partial<Case>[]
}>

const retryMs = 200

const fillAll = (each: Case, values: World['values']): Case =>
  JSON.parse(JSON.stringify(each), (_, value) => (typeof value === 'string' ? fill(value, values) : value))

const request = async (each: Case, { ask, token }: World): Promise<ServiceAnswer> => {
  const { path, method = 'GET', send = {}, body, as, status = 200, withinMs = 0, hasOwnErrors = false } = each
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await ask({
      path,
      method,
      headers: send,
      token: as === 'stranger' ? undefined : token,
      hasOwnErrors,
      ...(body === undefined ? {} : { body }),
    })
    if (answer.status === status || performance.now() >= deadline) return answer
    await delay(retryMs)
  }
}

const expectCase = (each: Case, answer: ServiceAnswer, expect: World['expect']): void => {
  const { status = 200, code, headers = {}, json = {}, text } = each
  if ('/data/0' in json && readJson(answer, '/data/length') === 0) throw new Skipped('the list is empty')
  if (answer.status === 429 && answer.ask.token === undefined)
    throw new Skipped('the service limits these requests')
  expect.status(answer, status)
  expect.headers(answer, headers)
  expect.json(answer, code === undefined ? json : { '/code': code, ...json })
  if (text !== undefined) expect.match(answer, 'body', answer.bytes.toString(), text)
}

const learn = (answer: ServiceAnswer, { header, json = '', pattern = '(.*)' }: Lesson) => {
  const value = header === undefined ? readJson(answer, json) : answer.headers[header]
  return new RegExp(pattern).exec(String(value ?? ''))?.[1]
}

const runCases = async ({ isCostly, scope, each = {}, cases }: PromiseCases, world: World): Promise<void> => {
  const { isDemo, scopes, values, expect } = world
  if (isDemo && isCostly) throw new Skipped('the quota of the demo is too small')
  if (scope !== undefined && !scopes.includes(scope)) throw new Skipped(`the key has no scope ${scope}`)
  for (const one of cases) {
    const whole = fillAll({ path: '', ...each, ...one }, values)
    const answer = await request(whole, world)
    expectCase(whole, answer, expect)
    for (const [name, lesson] of Object.entries(whole.learn ?? {})) {
      const learned = learn(answer, lesson)
      if (learned) values[name] = learned
    }
    // The demo has few requests, so its check ends with the first case that learns nothing.
    if (isDemo && !whole.learn) return
  }
}

const readCases = (file: URL): Check[] => {
  const promises: PromiseCases[] = JSON.parse(readFileSync(file, 'utf8'))
  return promises.map((each) => ({
    section: Number.parseInt(basename(file.pathname), 10),
    promise: each.promise,
    run: (world: World) => runCases(each, world),
  }))
}

const kernelCases = new URL('./cases/', import.meta.url)

/** Reads the cases of the kernel and of features. The name of a file begins with its section of the contract. */
export const listCases = (folders: readonly URL[]): Check[] =>
  [kernelCases, ...folders]
    .flatMap((folder) => readdirSync(folder).map((name) => new URL(name, folder)))
    .flatMap(readCases)
