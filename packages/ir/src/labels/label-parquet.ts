import type { LabeledQuery } from './labels.ts'

/*
 * Labels as Parquet, which most programs neither read nor write: its libraries are many files, and
 * are loaded when the first function is called.
 */
const load = () => import('../parquet/parquet-labels.ts')

/** Writes labels as Parquet with the columns of the JSONL: query, docs, labels, evidence, groundTruth. */
export async function writeLabelsParquet(
  file: string,
  entries: AsyncIterable<LabeledQuery>,
): Promise<void> {
  await (await load()).writeLabelsParquet(file, entries)
}

/** Reads labels that `writeLabelsParquet` wrote, a row group at a time. */
export async function* readLabelsParquet(file: string): AsyncGenerator<LabeledQuery> {
  yield* (await load()).readLabelsParquet(file)
}
