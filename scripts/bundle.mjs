/**
 * `node ../../scripts/bundle.mjs`, in a package's folder after tsc: joins its modules into one file
 * for each entry and each worker, and files for what these share. A command opens 70 files
 * then instead of 200, which took half of the time in which it starts. Packages whose names start
 * with the argument are joined too, instead of being installed. `--minify` shortens the names of
 * local variables, and drops the names of modules and the comments of declarations that no public
 * entry names; functions and classes keep their names and code keeps its lines, for stack traces.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'

const joined = process.argv.slice(2).find((argument) => !argument.startsWith('--'))
const minify = process.argv.includes('--minify')
const keepNames = { function: true, class: true }
const { name: packageName, exports } = JSON.parse(readFileSync('package.json', 'utf8'))
const modules = readdirSync('dist', { recursive: true }).filter((name) => name.endsWith('.js'))
/** Small modules of single jobs in @kith/pipelines that every job loads. */
const withJobs = [
  ...['label-format', 'label-work', 'query-labels', 'shares'].map((name) => `labels/${name}`),
  ...['rerank/list-table', 'rerank/row-fields', 'batches/check-batch', 'eval/gate'],
  'relevance/calibration-file',
]
if (packageName === '@kith/pipelines') {
  const lost = withJobs.filter((name) => !modules.includes(`${name}.js`))
  if (lost.length > 0)
    throw new Error(`scripts/bundle.mjs lists modules that do not exist: ${lost.join(', ')}`)
}
const entries = Object.values(exports)
  .flatMap((entry) => [entry.default, entry.workerd])
  .filter((file) => file)
  .map((file) => file.slice('./dist/'.length))

const bundle = await rolldown({
  input: Object.fromEntries(
    [...entries, ...modules.flatMap(workersOf)].map((name) => [
      name.slice(0, -'.js'.length),
      join(process.cwd(), 'dist', name),
    ]),
  ),
  external: (name) =>
    (!/^[./]/.test(name) && !(joined && name.startsWith(joined))) || name.endsWith('.wasm'),
  platform: 'neutral',
  // Jobs are loaded by their names; the modules of some are loaded already.
  checks: { ineffectiveDynamicImport: false },
})
// In `dist` itself, where `../package.json` is the package's.
const { output } = await bundle.generate({
  chunkFileNames: '[name].js',
  codeSplitting: {
    groups: [
      // Programs that take the errors alone get nothing else.
      { name: 'error', test: /\/dist\/error\.js$/ },
      { name: 'kernels', test: /\/dist\/generated\// },
      // Every command reads files; most run a job.
      { name: 'files', test: /\/pipelines\/dist\/files\// },
      // What jobs and their worker threads share, small modules of some jobs included; stores are
      // loaded only by jobs that use one.
      {
        name: 'jobs',
        test: new RegExp(
          `/pipelines/dist/((job|join|tasks)/(?!index|place|stores|task-worker)|(${withJobs.join('|')})\\.js$)`,
        ),
      },
    ],
  },
  // Declarations have the documentation.
  comments: { legal: true, annotation: true, jsdoc: false },
  minify: minify && {
    compress: { keepNames },
    mangle: { keepNames },
    codegen: false,
  },
})
for (const name of modules) rmSync(join('dist', name))
for (const { fileName, code } of output) {
  const file = join('dist', fileName)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, minify ? minified(code) : code)
}

/** The kernels are imported first, and bundlers put them before the code: gzip finds repetitions only 32 kB apart. */
function minified(code) {
  return code
    .replaceAll(/^\/\/#(end)?region.*\n|^\t+/gm, '')
    .replace(/^((?:import .*\n)+?)(import .* from "\.\/kernels\.js";\n)/, '$2$1')
}

/** Declarations that no entry refers to are removed. */
const referred = new Set()
for (const entry of Object.values(exports))
  if (entry.types) refer(entry.types.slice('./dist/'.length))
for (const name of readdirSync('dist', { recursive: true })) {
  if (name.endsWith('.d.ts') && !referred.has(name)) rmSync(join('dist', name))
}

/** Comments stay if a public entry names what they describe. */
if (minify) {
  const entries = Object.values(exports).flatMap(
    ({ types }) => types?.slice('./dist/'.length) ?? [],
  )
  const open = entries.filter((name) => !/^\/\*\*\s*(\*\s*)?Internal/.test(declaration(name)))
  const described = new Set(open.flatMap((name) => [name, ...references(name)]))
  for (const name of referred) {
    if (described.has(name)) continue
    writeFileSync(
      join('dist', name),
      declaration(name).replaceAll(/^[ \t]*\/\*\*[\s\S]*?\*\/\r?\n/gm, ''),
    )
  }
}

function refer(name) {
  if (referred.has(name)) return
  referred.add(name)
  for (const other of references(name)) refer(other)
}

/** The declarations that others import. */
function references(name) {
  const found = declaration(name).matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g)
  return Array.from(found, ([, other]) =>
    join(dirname(name), other.replace(/(\.js|\.ts)$/, '.d.ts')),
  )
}

function declaration(name) {
  return readFileSync(join('dist', name), 'utf8')
}

/** The workers that a module starts. */
function workersOf(module) {
  const code = readFileSync(join('dist', module), 'utf8')
  return Array.from(
    code.matchAll(/workerEntry\(import\.meta\.url, '([^']+)'\)/g),
    ([, name]) => name,
  )
}
