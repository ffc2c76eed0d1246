import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, the longest first; the order of the others hardly matters. */
const longest = [
  'test/faults/signals.slow.test.ts',
  'test/doc-lines.test.ts',
  'test/examples.test.ts',
  'test/site.test.ts',
  'packages/cli/test/encode.test.ts',
  'packages/pipelines/test/stores.test.ts',
  'test/faults/kill.slow.test.ts',
  'packages/studio/test/studio-page.test.ts',
  'packages/encoder/test/minilm.test.ts',
  'packages/work/test/batches.test.ts',
  'packages/server/test/workers.test.ts',
  'packages/cli/test/dataset.test.ts',
  'packages/cli/test/relevance.test.ts',
  'test/runtimes/runtimes.test.ts',
  'packages/cli/test/mcp.test.ts',
  'packages/pipelines/test/work-faults.slow.test.ts',
  'packages/studio/test/studio-look.test.ts',
  'test/doc-examples.test.ts',
  'test/faults/fuzz.slow.test.ts',
  'test/faults/absent-stores.slow.test.ts',
  'test/faults/read-only-disk.slow.test.ts',
  'test/faults/kill-workers.slow.test.ts',
  'test/faults/work-kills.slow.test.ts',
  'packages/train/test/resume.test.ts',
  'packages/report/test/page.test.ts',
  'packages/cli/test/collections.test.ts',
  'packages/pipelines/test/label-run.test.ts',
  'packages/tune/test/tune.test.ts',
  'test/faults/size-limit.slow.test.ts',
  'packages/cli/test/outputs.test.ts',
  'packages/pipelines/test/tune-run.test.ts',
  'packages/cli/test/stores.test.ts',
  'packages/cli/test/piped.test.ts',
  'packages/train/test/training.test.ts',
  'packages/train/test/encoder-gradients.test.ts',
  'packages/ir/test/mutations.slow.test.ts',
  'packages/core/test/setting-effects.test.ts',
  'packages/core/test/kernel.test.ts',
  'packages/core/test/reentrancy.test.ts',
  'packages/core/test/arguments.test.ts',
  'packages/core/test/text.test.ts',
  'packages/core/test/words-ranking.test.ts',
  'packages/core/test/kernels-agree.test.ts',
]

/** Starts the longest files first: in the end no worker waits for one that has begun late. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ moduleId }: TestSpecification): number => {
      const found = longest.indexOf(relative(this.ctx.config.root, moduleId))
      return found < 0 ? longest.length : found
    }
    return sorted.sort((a, b) => place(a) - place(b))
  }
}
