import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { program } from '../../packages/cli/test/support.ts'
import { writeCollection } from '../../packages/pipelines/test/store-data.ts'
import { writeSmallModel } from '../faults/small-model.mjs'
import { temporaryFolder } from '../files.ts'
import { networkGuard, refusedConnections } from './guard.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const guard = networkGuard(folder)

beforeAll(async () => {
  await writeCollection(folder)
  writeSmallModel(path('model'))
})

/** Runs Node with a home of its own; the files that the process left there, and the connections that it tried. */
function runAlone(args: readonly string[], variables: Record<string, string> = {}) {
  const home = mkdtempSync(path('home-'))
  const [cache, temporary] = [join(home, 'cache'), join(home, 'tmp')]
  for (const made of [cache, temporary]) mkdirSync(made)
  // The runtime's telemetry is off if CI is set.
  const { ORT_DISABLE_TELEMETRY: _, CI: __, ...inherited } = process.env
  const places = { HOME: home, XDG_CACHE_HOME: cache, TMPDIR: temporary }
  const log = join(home, 'network.log')
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...inherited, ...guard, ...places, KITH_NETWORK_LOG: log, ...variables },
  })
  expect(status, stderr).toBe(0)
  const connections = refusedConnections(home)
  const entries = readdirSync(home, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  return { files: files.filter((name) => name !== 'network.log'), connections }
}

const load = `
  const { InferenceSession } = await import('@kith/encoder/runtime')
  await InferenceSession.create(new Uint8Array(3)).catch(() => {})
`
const texts = ['--input', path('corpus.jsonl'), '--out', path('encoded.npy')]
const queries = ['--train-queries', path('queries.npy'), '--train-run', path('run.trec')]
const training = ['--docs', path('all.npy'), '--qrels', path('qrels.trec'), ...queries]

describe.runIf(guard)('network access', () => {
  test.for([
    ['kith encode', [program, 'encode', '--model', path('model'), ...texts]],
    [
      'kith train',
      [program, 'train', '--adapter', 'mlp', '--set', 'steps=2', ...training, '--out', path('t')],
    ],
    ['a program that loads the runtime', ['--input-type=module', '--eval', load]],
  ] as [string, string[]][])('%s leaves no file and makes no lookup', ([_, args]) => {
    expect(runAlone(args)).toEqual({ files: [], connections: [] })
  })

  test('leaves the telemetry of the runtime on if the environment says so', () => {
    // The runtime writes its file some time after it is loaded.
    const wait = `
      const { readdirSync } = await import('node:fs')
      const isThere = () =>
        readdirSync(process.env.HOME, { recursive: true }).some((name) => name.endsWith('deviceid'))
      for (let i = 0; i < 300 && !isThere(); i++) await new Promise((done) => setTimeout(done, 100))
    `
    const args = ['--input-type=module', '--eval', `${load}${wait}`]
    const { files } = runAlone(args, { ORT_DISABLE_TELEMETRY: '0' })
    expect(files).toContain('deviceid')
  })

  test('is refused by the guard for lookups and connections of every kind, except for local ones', () => {
    const attempts = `
      import dgram from 'node:dgram'
      import dns from 'node:dns/promises'
      import http from 'node:http'
      const server = http.createServer((_, response) => response.end()).listen(0, 'localhost')
      await new Promise((resolve) => server.on('listening', resolve))
      await fetch('http://localhost:' + server.address().port)
      server.close()
      await fetch('http://192.0.2.1/').catch(() => {})
      await fetch('http://[2001:db8::1]/').catch(() => {})
      await fetch('http://a.example/').catch(() => {})
      await dns.resolve4('b.example').catch(() => {})
      const socket = dgram.createSocket('udp4')
      socket.send('x', 99, '192.0.2.2', () => socket.close())
    `
    const { connections } = runAlone(['--input-type=module', '--eval', attempts])
    const lines = [...new Set(connections.map((line) => line.replace(/ by .*/, '')))]
    expect(lines.filter((line) => !line.endsWith(' port 53'))).toEqual([
      'connect 192.0.2.1 port 80',
      'connect 2001:db8::1 port 80',
      'getaddrinfo a.example',
      expect.stringMatching(/^send\w+ 192\.0\.2\.2 port 99$/),
    ])
    expect(lines).toContainEqual(expect.stringMatching(/^connect \S+ port 53$/))
  })
})

test('refuses to load the runtime in a worker thread without the variable', () => {
  const program = `
    const { Worker } = await import('node:worker_threads')
    const worker = new Worker("import('@kith/encoder/runtime')", { eval: true })
    worker.on('error', ({ code, message }) => console.log(code, message))
  `
  const { ORT_DISABLE_TELEMETRY: _, ...env } = process.env
  const run = (variables: Record<string, string>) =>
    spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: root,
      encoding: 'utf8',
      env: { ...env, ...variables },
    }).stdout
  expect(run({})).toMatch(
    /^BAD_INPUT .*set process\.env\.ORT_DISABLE_TELEMETRY = '1' before you start the worker\n$/,
  )
  expect(run({ ORT_DISABLE_TELEMETRY: '1' })).toBe('')
})

test('loads the ONNX runtime in only one module', () => {
  const folders = ['packages', 'bench', 'examples', 'experiments', 'scripts', 'test', 'site']
  const files = folders.flatMap((part) =>
    readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
      .map((name) => join(part, name))
      .filter((name) => /\.(ts|tsx|mjs|js)$/.test(name))
      .filter((name) => !/(^|\/)(dist|node_modules|\.vitepress)\//.test(name)),
  )
  const loading = /(from|import\(|require\(|resolve\()\s*'onnxruntime-node/
  const found = files.filter((name) =>
    readFileSync(join(root, name), 'utf8')
      .split('\n')
      .some((line) => loading.test(line) && !line.startsWith('import type')),
  )
  expect(found).toEqual(['packages/encoder/src/find-runtime.ts'])
})
