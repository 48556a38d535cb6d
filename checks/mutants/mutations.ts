import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'

/** A change of one place of a source file. Offsets are of its text. */
export type Mutation = Readonly<{ start: number; end: number; after: string }>

type Fields = Readonly<Record<string, Node | undefined>>

/** These have no effect when the code runs. */
const isErased =
  /^(TypeReference|TypeLiteral|TypeAlias|Interface|TypeParameter|TypeQuery|Import|Export(Decl|Spec))|Type$/
const operators = new Map([
  ['===', '!=='],
  ['!==', '==='],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['&&', '||'],
  ['||', '&&'],
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['%', '*'],
  ['+=', '-='],
  ['-=', '+='],
  ['||=', '='],
  ['??=', '='],
])
const methods = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
])
/** A call of one of these is replaced by its object. */
const dropped = new Set(['filter', 'sort', 'toSorted', 'reverse', 'toReversed', 'slice', 'flat', 'trim'])
/** Larger numbers are mostly bounds of memory or time, of which no test proves the exact value. */
const mostNumber = 9
const isSql = /\b(select|where|from|order by|set|begin)\b/
const sqlChanges: readonly (readonly [RegExp, string])[] = [
  [/ and /g, ' or '],
  [/ or /g, ' and '],
  [/ >= /g, ' > '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ < /g, ' <= '],
  [/ desc\b/g, ''],
  [/ is not null/g, ' is null'],
  [/ is null/g, ' is not null'],
  [/not exists/g, 'exists'],
  [/repeatable read/g, 'read committed'],
]

/** The offset of the first character of a node after spaces and comments. */
const getStart = (text: string, { pos, end }: Node): number =>
  pos + (/^(?:\s+|\/\/.*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(pos, end))?.[0].length ?? 0)

const isText = (source: string): boolean => /['"`]/.test(source)

/** Lists all mutations of a source file, in its order. The operators are fixed, so that two runs agree. */
export const listMutations = (file: SourceFile): Mutation[] => {
  const { text } = file
  const found: Mutation[] = []
  const read = (node: Node) => text.slice(getStart(text, node), node.end)
  const replace = (node: Node, after: string) =>
    void found.push({ start: getStart(text, node), end: node.end, after })

  const changeBinary = ({ left, operatorToken, right }: Fields): void => {
    if (!left || !operatorToken || !right) return
    const operator = read(operatorToken)
    const after = operators.get(operator)
    const joinsTexts = operator === '+' && (isText(read(left)) || isText(read(right)))
    if (after !== undefined && !joinsTexts) replace(operatorToken, after)
    if (operator === '??') found.push({ start: left.end, end: right.end, after: '' })
  }

  const changeCall = (call: Node, { expression }: Fields): void => {
    if (expression?.kind !== SyntaxKind.PropertyAccessExpression) return
    const { expression: object, name } = expression as unknown as Fields
    if (!object || !name) return
    const method = methods.get(read(name))
    if (method !== undefined) replace(name, method)
    if (dropped.has(read(name))) found.push({ start: object.end, end: call.end, after: '' })
  }

  const changeSql = (node: Node): void => {
    const start = getStart(text, node)
    const sql = text.slice(start, node.end)
    for (const [pattern, after] of sqlChanges)
      for (const { index, 0: before } of sql.matchAll(pattern))
        found.push({ start: start + index, end: start + index + before.length, after })
  }

  const visit = (node: Node): void => {
    const kind = SyntaxKind[node.kind]
    if (isErased.test(kind)) return
    const fields = node as unknown as Fields
    const { expression, condition } = fields
    switch (node.kind) {
      case SyntaxKind.BinaryExpression:
        changeBinary(fields)
        break
      case SyntaxKind.CallExpression:
        changeCall(node, fields)
        break
      case SyntaxKind.IfStatement:
        if (expression) replace(expression, `!(${read(expression)})`)
        break
      case SyntaxKind.ConditionalExpression:
        if (condition) replace(condition, `!(${read(condition)})`)
        break
      case SyntaxKind.PrefixUnaryExpression:
        if (read(node).startsWith('!')) replace(node, read(node).slice(1))
        break
      case SyntaxKind.ExpressionStatement:
        replace(node, ';')
        break
      case SyntaxKind.TrueKeyword:
        replace(node, 'false')
        break
      case SyntaxKind.FalseKeyword:
        replace(node, 'true')
        break
      case SyntaxKind.NumericLiteral:
        if (Number(read(node)) <= mostNumber) replace(node, String(Number(read(node)) + 1))
        break
      case SyntaxKind.TemplateExpression:
      case SyntaxKind.NoSubstitutionTemplateLiteral:
        if (isSql.test(read(node))) changeSql(node)
        break
    }
    node.forEachChild(visit)
  }
  visit(file)
  return found.sort((a, b) => a.start - b.start || a.end - b.end)
}
