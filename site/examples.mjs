import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, writePage } from './place.mjs'

/** The programs in `examples/`, each of which a test runs. */
export function exampleFiles() {
  return readdirSync(join(root, 'examples')).filter((name) => /\.(mjs|html)$/.test(name))
}

/** The page of examples that shows a program. */
export function exampleTarget(name) {
  return `examples.md#${name.replace('.', '-')}`
}

/** Writes the page that shows them all. */
export function writeExamples() {
  const sections = exampleFiles().map((name) => {
    const code = readFileSync(join(root, 'examples', name), 'utf8')
    const language = name.endsWith('.html') ? 'html' : 'js'
    return `## ${name}\n\n\`\`\`${language}\n${code.trimEnd()}\n\`\`\`\n`
  })
  const intro =
    'Programs of a few lines, in the folder `examples/` of the repository. The tests run every one of them.'
  writePage('examples.md', [`# Examples\n\n${intro}\n`, ...sections].join('\n'))
}
