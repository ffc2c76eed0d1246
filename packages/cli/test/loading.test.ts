import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { program } from './support.ts'

const asModule = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`

/** Tells the address of every module that is loaded. */
const telling = asModule(`
  import { writeSync } from 'node:fs'
  export function load(url, context, next) {
    writeSync(2, url + '\\n')
    return next(url, context)
  }`)

/** The files of modules that a command line loads. */
function filesOf(...args: string[]): { status: number | null; files: string[] } {
  const register = asModule(
    `import { register } from 'node:module'; register(${JSON.stringify(telling)})`,
  )
  const { status, stderr } = spawnSync(process.execPath, ['--import', register, program, ...args], {
    encoding: 'utf8',
  })
  return { status, files: stderr.split('\n').filter((line) => line.startsWith('file:')) }
}

/** The packages, ours and the one of the queue, that a command loads before it does anything. */
function loadedBy(command: string): string[] {
  const { status, files } = filesOf(command, '--help')
  expect(status).toBe(0)
  return packagesOf(files)
}

function packagesOf(files: readonly string[]): string[] {
  const names = files.flatMap((file) => [
    // `languages/dist/load.js` is four lines that load the languages when a tokenizer needs them, and
    // `stores/dist/address.js` tells whether documents are in a store.
    ...file.matchAll(
      /packages\/([\w-]+)\/dist\/(?!load\.js|address\.js)|node_modules\/(pg-boss)\//g,
    ),
  ])
  return [...new Set(names.map(([, ours, other]) => (ours ?? other)!))].sort()
}

test('loads only the packages that a command needs', () => {
  expect(loadedBy('eval')).toEqual(['base', 'cli', 'core', 'ir', 'pipelines'])
  expect(loadedBy('search')).toEqual(['base', 'cli', 'core', 'ir', 'pipelines', 'stores'])
  expect(loadedBy('tune')).toEqual(['base', 'cli', 'core', 'ir', 'pipelines', 'tune'])
  expect(loadedBy('rerank')).toEqual(['base', 'cli', 'core', 'ir', 'pipelines'])
  expect(loadedBy('labels')).toEqual(['base', 'cli', 'core', 'ir', 'pipelines'])
})

test('loads no command for the list of commands, the version, a misspelled command and completion', () => {
  for (const [args, code] of [
    [['--help'], 0],
    [['--version'], 0],
    [['completion', 'zsh'], 0],
    [['rerrank'], 2],
    [[], 2],
  ] as const) {
    const { status, files } = filesOf(...args)
    expect(status).toBe(code)
    expect(packagesOf(files)).toEqual(['cli'])
    expect(files.filter((file) => file.includes('/commands/'))).toEqual([])
    // Node itself opens about thirty more.
    expect(files.length).toBeLessThan(20)
  }
})
