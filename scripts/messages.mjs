// Lists everything that Kith says, with file and line, as Markdown tables: errors, remarks, progress
// labels, option help and command descriptions, page texts, and other sentences. For one reading:
//
//   node scripts/messages.mjs [FOLDER ...]     (default: every package)
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const kinds = ['error', 'remark', 'progress', 'help', 'description', 'page', 'sentence']
const calls = /^(onRemark|remark|warn|onWarning|say|tell|note)$/
const progress = /^(onProgress|progress|stage)$/
const properties = {
  help: 'help',
  note: 'help',
  description: 'description',
  summary: 'description',
  stage: 'progress',
  label: 'progress',
  unit: 'progress',
}

/** The source files below a folder, tests and builds left out. */
function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (/^(node_modules|dist|test|assembly)$/.test(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* sources(path)
    else if (/(?<!\.d)\.(ts|tsx|mjs)$/.test(entry.name)) yield path
  }
}

const isText = (node) =>
  ts.isStringLiteral(node) ||
  ts.isNoSubstitutionTemplateLiteral(node) ||
  ts.isTemplateExpression(node) ||
  ts.isJsxText(node)

/** The text of a literal, with `${…}` for each part that is computed. */
function textOf(node) {
  if (!ts.isTemplateExpression(node)) return node.text
  const spans = node.templateSpans.map(
    (span) => `\${${span.expression.getText()}}${span.literal.text}`,
  )
  return node.head.text + spans.join('')
}

/** A chain `a + b + c` of literals as one text; undefined for anything else. */
function joined(node) {
  if (isText(node)) return textOf(node)
  if (ts.isParenthesizedExpression(node)) return joined(node.expression)
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return
  const left = joined(node.left) ?? `\${${node.left.getText()}}`
  const right = joined(node.right) ?? `\${${node.right.getText()}}`
  return isText(node.left) || isText(node.right) || joined(node.left) ? left + right : undefined
}

/** The kind of message that a node's descendants belong to, or undefined if the node opens none. */
function kindOf(node) {
  if (ts.isNewExpression(node)) {
    return /(Error|Problem|Died|Failed|Stopped)$/.test(node.expression.getText())
      ? 'error'
      : undefined
  }
  if (ts.isCallExpression(node)) {
    const name = node.expression.getText().split(/[.?]+/).at(-1)
    return calls.test(name) ? 'remark' : progress.test(name) ? 'progress' : undefined
  }
  if (ts.isPropertyAssignment(node)) return properties[node.name.getText()]
  if (ts.isJsxElement(node) || ts.isJsxFragment(node)) return 'page'
}

const words = /[a-z’']{2,}[,:;]? +(\$\{|[`'"(–—-]*)[a-z]{1,}/i
const rows = new Map(kinds.map((kind) => [kind, []]))

function visit(node, kind, file) {
  if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return
  const text = joined(node)
  if (text !== undefined) {
    const message = text.trim()
    if (kind ? /[a-z]/i.test(message) : words.test(message)) {
      const start = ts.isJsxText(node) ? node.getFullStart() : node.getStart()
      const { line } = file.getLineAndCharacterOfPosition(start)
      const place = `${relative(root, file.fileName)}:${line + 1}`
      const cell = message.replace(/\s+/g, ' ').replaceAll('|', '\\|')
      rows.get(kind ?? 'sentence').push(`| ${place} | ${cell} |`)
    }
    return
  }
  const inner = kindOf(node) ?? kind
  ts.forEachChild(node, (child) => visit(child, inner, file))
}

const folders = process.argv.length > 2 ? process.argv.slice(2) : [join(root, 'packages')]
for (const path of folders.flatMap((folder) => [...sources(folder)])) {
  const text = readFileSync(path, 'utf8')
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind)
  visit(file, undefined, file)
}
for (const [kind, found] of rows) {
  console.log(`## ${kind} (${found.length})\n\n| place | text |\n|---|---|`)
  console.log(`${found.join('\n')}\n`)
}
