import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mergeConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** Rare faults that take long to test, and files that try more here: `npm run test:slow`. */
const slow = mergeConfig(config, {})
slow.test.include = ['{packages,test}/**/*.slow.test.ts', ...thoroughFiles()]
slow.test.env = { KITH_SLOW: '1' }
slow.test.exclude = ['**/node_modules/**']

export default slow

/** The test files that import `test/thorough.ts`. */
function thoroughFiles(): string[] {
  const packages = ['packages', 'packages/adapters'].flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name, 'test')),
  )
  return ['test', ...packages]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => readFileSync(file, 'utf8').includes("/thorough.ts'"))
}
