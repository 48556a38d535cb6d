/**
 * What the demo knows of the API: endpoints and their parameters, read from the OpenAPI document. A parameter
 * that comes in several operators is a filter; the others are controls.
 */

/**
 * @typedef {{ operator: string, name: string, meaning: string, hint: string, choices: string[], isList: boolean, example: string }} Operator
 * @typedef {{ name: string, operators: Operator[] }} Field
 * @typedef {{ name: string, description: string, choices: string[], example: string, fallback: string, isRequired: boolean, minimum?: number, maximum?: number }} Control
 * @typedef {{ path: string, group: string, summary: string, hasId: boolean, fields: Field[], controls: Control[] }} Endpoint
 * @typedef {Record<string, any>} Node
 */

/** @param {string} description the values that it names, if it names them */
const readChoices = (description) => {
  const listed = /[Oo]ne of: ([^.]+)\./.exec(description)?.[1]
  if (listed) return listed.split(', ')
  return [...description.matchAll(/`(\w+)` needs /g)].map((match) => match[1] ?? '')
}

/** @param {Node} parameter @returns {Operator} */
const readOperator = ({ name, description, schema, example }) => {
  const [meaning = '', ...rest] = description.split('. ')
  const operator = /\[(\w+)\]$/.exec(name)?.[1] ?? ''
  return {
    operator,
    name,
    meaning: meaning.replace(/^`[^`]+` /, '').replace(/\.$/, ''),
    hint: rest.join('. '),
    choices: schema.enum ?? readChoices(description),
    isList: /comma-separated/.test(description),
    example: String(example ?? ''),
  }
}

/** @param {Node} parameter @returns {Control} */
const readControl = ({ name, description = '', schema = {}, example, required }) => ({
  name,
  description: description.replaceAll('`', ''),
  choices: schema.enum ?? readChoices(description),
  example: String(example ?? ''),
  fallback: String(schema.default ?? ''),
  isRequired: required === true,
  minimum: schema.minimum,
  maximum: schema.maximum,
})

/** @param {string} path @param {Node} operation @param {(node: Node) => Node} resolve @returns {Endpoint} */
const readEndpoint = (path, operation, resolve) => {
  const parameters = (operation.parameters ?? []).map(resolve)
  const inQuery = parameters.filter(
    (/** @type {Node} */ each) => each.in === 'query' && each.name !== 'cursor',
  )
  const filtered = new Set(
    inQuery.flatMap((/** @type {Node} */ { name }) => (name.includes('[') ? [name.split('[')[0]] : [])),
  )
  /** @type {Map<string, Operator[]>} */
  const fields = new Map()
  const controls = []
  for (const each of inQuery) {
    const field = each.name.split('[')[0]
    if (filtered.has(field)) fields.set(field, [...(fields.get(field) ?? []), readOperator(each)])
    else controls.push(readControl(each))
  }
  return {
    path,
    group: operation.tags?.[0] ?? '',
    summary: operation.summary ?? '',
    hasId: path.includes('{id}'),
    fields: [...fields].map(([name, operators]) => ({ name, operators })),
    controls,
  }
}

/**
 * The endpoints that the demo token may ask, custom ones included.
 * @param {Node} document
 * @returns {Endpoint[]}
 */
export const listEndpoints = (document) => {
  /** @param {Node} node @returns {Node} */
  const resolve = (node) =>
    typeof node.$ref === 'string'
      ? (node.$ref
          .slice(2)
          .split('/')
          .reduce((at, part) => at?.[part], document) ?? {})
      : node
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const operation = /** @type {Node} */ (item).get
    const isClosed = JSON.stringify(operation?.responses?.['403'] ?? '').includes('live_token_required')
    const needsToken = operation?.security?.some((/** @type {Node} */ each) => 'accessToken' in each)
    return operation && needsToken && !isClosed ? [readEndpoint(path, operation, resolve)] : []
  })
}
