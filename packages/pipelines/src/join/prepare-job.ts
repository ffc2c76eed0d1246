import type { PreparedText, TokenizerName } from '@kith/core'
import type { TextEntry } from '@kith/ir'
import type { Job } from '../tasks/job.ts'
import { prepareEntry } from './prepared-texts.ts'

/** Some texts, prepared, one behind the other. */
export interface PreparedBatch {
  postings: Uint32Array
  /** Where each text's postings begin, and at last where the last one's end. */
  starts: Uint32Array
}

/** Prepares batch after batch of texts. */
export async function openPrepareJob({
  tokenizer,
}: {
  tokenizer: TokenizerName
}): Promise<Job<TextEntry[], PreparedBatch>> {
  return {
    run(entries) {
      const texts = entries.map((entry) => prepareEntry(entry, tokenizer).postings)
      const starts = new Uint32Array(texts.length + 1)
      texts.forEach((postings, i) => {
        starts[i + 1] = starts[i]! + postings.length
      })
      const postings = new Uint32Array(starts.at(-1)!)
      texts.forEach((own, i) => {
        postings.set(own, starts[i])
      })
      return { postings, starts }
    },
    close: async () => {},
  }
}

/** One text of a batch, whose terms were made as `terms` says. */
export function preparedAt(
  { postings, starts }: PreparedBatch,
  i: number,
  tokenizer: PreparedText['tokenizer'],
): PreparedText {
  return { postings: postings.subarray(starts[i], starts[i + 1]), tokenizer }
}
