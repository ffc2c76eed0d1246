import { execFile } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { pack, publicPackages, root } from '../../scripts/packages.mjs'
import { temporaryFolder } from '../files.ts'

/** The parts of esbuild, webpack and Miniflare that are used: `npm run check` knows their types without them. */
interface Esbuild {
  build(options: object): Promise<unknown>
}
type Webpack = (config: object) => {
  run(done: (error: Error | null, stats?: { compilation: { errors: object[] } }) => void): void
}
interface Cloud {
  dispatchFetch(url: string): Promise<{ json(): Promise<unknown> }>
  dispose(): Promise<void>
}

const here = dirname(fileURLToPath(import.meta.url))
const exec = promisify(execFile)
/** Runs a program; Deno would ask for a newer version of itself. */
const run: typeof exec = ((command: string, args: string[], options: object = {}) =>
  exec(command, args, { ...options, env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' } })) as never
const installed = haveRuntimes()
const PACKED = ['@kith/core', '@kith/hits', '@kith/langchain', '@kith/ai-sdk']
/** What the packed packages need besides: their frameworks. */
const PEERS = ['@langchain', '@ai-sdk']
const ORDER = [1, 2, 0, 3]

const project = temporaryFolder()
beforeAll(async () => {
  if (!installed) return
  const modules = join(project, 'node_modules')
  const packages = publicPackages().filter(({ name }) => PACKED.includes(name))
  for (const { name, filename } of pack(packages, project)) {
    const folder = join(modules, name)
    mkdirSync(folder, { recursive: true })
    await run('tar', ['-xzf', join(project, filename), '-C', folder, '--strip-components=1'])
  }
  for (const scope of PEERS) symlinkSync(join(root, 'node_modules', scope), join(modules, scope))
  const dependencies = Object.fromEntries([...PACKED, '@langchain/core'].map((name) => [name, '*']))
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module', dependencies }))
  for (const file of ['program.mjs', 'print.mjs'])
    copyFileSync(join(here, file), join(project, file))
})

/** Deno takes packages from node_modules, and downloads nothing. */
const LOCAL = ['--no-remote', '--node-modules-dir=manual']

/** How each runtime starts a program. */
const runtimes = {
  'Node 20 or the Node of the tests': [process.execPath],
  'Node 22': [binary('node-22/bin/node')],
  'Node 24': [binary('node-24/bin/node')],
  Bun: [binary('.bin/bun')],
  'Deno with all permissions': [binary('.bin/deno'), 'run', '-A', ...LOCAL],
  'Deno that may read the program only': [
    binary('.bin/deno'),
    'run',
    '--no-prompt',
    `--allow-read=${project},${root}`,
    ...LOCAL,
  ],
}

describe.skipIf(!installed).each(Object.entries(runtimes))('on %s', (_, [command, ...args]) => {
  test('ranks with core and the adapters as everywhere', async () => {
    const { stdout } = await run(command!, [...args, 'print.mjs'], { cwd: project })
    const { kernel, ...orders } = JSON.parse(stdout)
    expect(kernel).toMatch(/simd$/)
    expect(new Set(Object.values(orders).map(String))).toEqual(new Set([String(ORDER)]))
  })
})

// Bun and Deno start encoders in separate processes as well.
describe.skipIf(!installed)('openCollection', () => {
  const all = Object.entries(runtimes).filter(([name]) => !name.endsWith('only'))
  test.each(all)('searches a folder of notes on %s', async (name, [command, ...args]) => {
    const notes = notesIn(project)
    const cache = join(project, 'cache', name)
    const program = join(here, 'collection.mjs')
    const { stdout } = await run(command!, [...args, program, notes, cache], { cwd: here })
    expect(JSON.parse(stdout)).toEqual(FOUND)
  })
})

test.skipIf(!installed)('reranks hits of a real sqlite-vec table on Node 22', async () => {
  const { stdout } = await run(binary('node-22/bin/node'), [join(here, 'sqlite-vec.mjs')])
  expect(JSON.parse(stdout)).toEqual({ found: [0, 1, 2, 3], reranked: ORDER })
})

describe.skipIf(!installed)('bundled programs', () => {
  test('rank as everywhere in a Cloudflare Worker, with the SIMD kernel', async () => {
    const worker = join(project, 'worker.mjs')
    await bundle(
      `import { rankings } from './program.mjs'
       export default { fetch: async () => Response.json(await rankings()) }`,
      {
        outfile: worker,
        platform: 'neutral',
        mainFields: ['module', 'main'],
        conditions: ['workerd', 'import'],
        external: ['*.wasm', 'node:*'],
      },
    )
    const { Miniflare } = tool<{ Miniflare: new (options: object) => Cloud }>('miniflare')
    const wasm = 'relaxed-simd.wasm'
    copyFileSync(join(project, 'node_modules/@kith/core/dist', wasm), join(project, wasm))
    const cloud = new Miniflare({
      modules: true,
      // It would ask a server where the request comes from.
      cf: false,
      modulesRoot: project,
      scriptPath: worker,
      modulesRules: [{ type: 'CompiledWasm', include: ['**/*.wasm'] }],
      compatibilityDate: '2026-04-01',
      compatibilityFlags: ['nodejs_compat'],
    })
    try {
      const { kernel, ...orders } = (await (
        await cloud.dispatchFetch('http://localhost/')
      ).json()) as Record<string, unknown>
      expect(kernel).toBe('relaxed-simd')
      expect(new Set(Object.values(orders).map(String))).toEqual(new Set([String(ORDER)]))
    } finally {
      await cloud.dispose()
    }
  })

  test('search notes with the externals that docs/runtimes.md names', async () => {
    const page = readFileSync(join(root, 'docs/runtimes.md'), 'utf8')
    const external = Array.from(page.matchAll(/--external:(\S+)/g), ([, name]) => name)
    expect(external).not.toHaveLength(0)
    // Beside the packages that stay outside.
    const outfile = join(here, 'node_modules', '.kith-server.mjs')
    const contents = readFileSync(join(here, 'collection.mjs'), 'utf8')
    await bundle(contents, { outfile, resolveDir: here, platform: 'node', external })
    const notes = notesIn(project)
    const { stdout } = await run(process.execPath, [outfile, notes, join(project, 'cache')])
    expect(JSON.parse(stdout)).toEqual(FOUND)
  })

  test('a server that searches notes runs as webpack bundles it by docs/runtimes.md', async () => {
    const page = readFileSync(join(root, 'docs/runtimes.md'), 'utf8')
    const [, code] = /```js\n(.*?)```/s.exec(page)!
    const file = join(project, 'webpack.config.mjs')
    writeFileSync(file, code!)
    const { default: config } = await import(pathToFileURL(file).href)
    const output = { ...config.output, path: binary('.'), filename: '.kith-webpack.mjs' }
    const compiler = tool<Webpack>('webpack')({
      ...{ ...config, output },
      // Minifying takes a minute, and is not ours.
      ...{ context: here, entry: './collection.mjs', optimization: { minimize: false } },
    })
    const errors = await new Promise<readonly object[]>((resolve, reject) => {
      compiler.run((error, stats) => (error ? reject(error) : resolve(stats!.compilation.errors)))
    })
    expect(errors).toEqual([])
    const bundled = join(output.path, output.filename)
    const { stdout } = await run(process.execPath, [bundled, notesIn(project), join(project, 'w')])
    expect(JSON.parse(stdout)).toEqual(FOUND)
  })

  // Bytes after minifying and gzip.
  test.each([
    ['KithError', 1000],
    ['rerank', 29_000],
  ])('%s brings at most %i bytes', async (name, most) => {
    const outfile = join(project, `${name}.js`)
    await bundle(`export { ${name} } from '@kith/core'`, { outfile, minify: true })
    expect(gzipSync(readFileSync(outfile), { level: 9 }).length).toBeLessThan(most)
  })
})

const FOUND = [{ id: 'bees.md:3', text: 'Bees find flowers by scent.' }]

/** A folder of one note with two sections. */
function notesIn(folder: string): string {
  const notes = join(folder, 'notes')
  mkdirSync(notes, { recursive: true })
  const text = '# Bees\n\nBees find flowers by scent.\n\n## Honey\n\nThe price of honey.'
  writeFileSync(join(notes, 'bees.md'), text)
  return notes
}

/** Bundles a program for the browser, unless options say otherwise. */
async function bundle(
  contents: string,
  { resolveDir = project, ...options }: { resolveDir?: string; [option: string]: unknown },
): Promise<void> {
  const { build } = tool<Esbuild>('esbuild')
  const stdin = { contents, resolveDir }
  await build({ stdin, bundle: true, format: 'esm', logLevel: 'silent', ...options })
}

function binary(path: string): string {
  return join(here, 'node_modules', path)
}

function tool<T>(name: string): T {
  return createRequire(join(here, 'package.json'))(name) as T
}

/** Whether the runtimes are installed; tests without them are skipped, in CI they fail. */
function haveRuntimes(): boolean {
  if (existsSync(binary('.bin/deno'))) return true
  const advice = 'no runtimes to test on: npm install --prefix test/runtimes'
  if (process.env['CI'] === 'true') throw new Error(advice)
  console.warn(`skipped: ${advice}`)
  return false
}
