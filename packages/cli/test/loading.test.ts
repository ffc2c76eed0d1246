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

/** The packages, ours and the one of the queue, that a command loads before it does anything. */
function loadedBy(command: string): string[] {
  const register = asModule(
    `import { register } from 'node:module'; register(${JSON.stringify(telling)})`,
  )
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', register, program, command, '--help'],
    { encoding: 'utf8' },
  )
  expect(status).toBe(0)
  const names = [...stderr.matchAll(/packages\/([\w-]+)\/dist\/|node_modules\/(pg-boss)\//g)]
  return [...new Set(names.map(([, ours, other]) => (ours ?? other)!))].sort()
}

test('a command loads only the packages that it needs', () => {
  expect(loadedBy('eval')).toEqual(['cli', 'core', 'ir', 'pipelines'])
  expect(loadedBy('search')).toEqual(['cli', 'core', 'ir', 'pipelines', 'stores'])
  expect(loadedBy('tune')).toEqual(['cli', 'core', 'ir', 'pipelines', 'tune'])
  const withStores = ['cli', 'core', 'ir', 'pipelines', 'stores', 'tune', 'work']
  expect(loadedBy('rerank')).toEqual(withStores)
})
