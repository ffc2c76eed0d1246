import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

export default defineConfig({
  test: {
    include: ['packages/**/test/**/*.test.ts', 'test/**/*.test.ts'],
    // Kills, signals, full disks and fuzzing: `npm run test:slow`.
    exclude: ['**/node_modules/**', '**/*.slow.test.ts'],
    globalSetup: 'test/global-setup.ts',
    // These end tests that hang. A busy machine must not reach them, and no test has its own.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 600_000 } },
    // Built packages are loaded as Node loads them: there is nothing to transform in them, and vitest
    // would transform and read them again for every file of tests.
    server: { deps: { external: [/\/packages\/.*\/dist\//] } },
    // Files of tests share processes, so that what they import is loaded once for many of them. A module
    // that several files import registers no hooks when it is loaded: they would run in the first file.
    isolate: false,
    // One more than there are cores: many tests wait for processes, databases and browsers.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
  },
})
