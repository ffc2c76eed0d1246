import { mergeConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** Rare faults that take long to test: `npm run test:slow`. */
const slow = mergeConfig(config, {})
slow.test.include = [
  ...['packages/**/test/**/*.slow.test.ts', 'test/**/*.slow.test.ts'],
  // With more contexts here.
  'packages/core/test/kernels-agree.test.ts',
  'packages/core/test/kernel.test.ts',
  'packages/core/test/text.test.ts',
  // With a second dataset here.
  'test/doc-lines.test.ts',
]
slow.test.env = { KITH_SLOW: '1' }
slow.test.exclude = ['**/node_modules/**']

export default slow
