import { openEmbeddings, type RankedQuery, writeRun } from '@kith/ir'
import { searchExact } from '@kith/stores'
import type { Command } from '../command.ts'
import { embeddingOptions, readEmbeddingOptions, workerOption } from '../shared-options.ts'
import { writeSidecar } from '../sidecar.ts'
import { optionalChoice, optionalWhole, text } from '../values.ts'

/** `kith search`: the documents most similar to each query, by comparing with all of them. */
export const searchCommand: Command = {
  name: 'search',
  summary: 'find the most similar documents of each query, exactly',
  description:
    'Embeddings: .npy (ids in a neighbouring .ids.txt, or row numbers), .safetensors, .fvecs,\n' +
    '.parquet, .jsonl, or a folder with embedding.memmap and ids.memmap (--dimensions).\n' +
    'Exact: every document is compared with every query, on all cores.',
  example: 'kith search --queries queries.npy --docs docs.npy --top 200 --out run.trec',
  options: {
    queries: { value: 'FILE', help: 'embeddings of the queries', required: true },
    docs: { value: 'FILE', help: 'embeddings of the documents', required: true },
    out: { value: 'FILE', help: 'the run to write (.json, .gz by ending)', required: true },
    top: { value: 'N', help: 'documents per query', default: '200' },
    metric: { value: 'NAME', help: 'dot or cosine', default: 'dot' },
    ...embeddingOptions,
    ...workerOption,
  },
  async run(values, output) {
    const options = readEmbeddingOptions(values)
    const metric = optionalChoice(values, 'metric', ['dot', 'cosine']) ?? 'dot'
    const top = optionalWhole(values, 'top') ?? 200
    const workers = optionalWhole(values, 'workers')
    const [queriesFile, docsFile, out] = [
      text(values, 'queries'),
      text(values, 'docs'),
      text(values, 'out'),
    ]
    const queries = await openEmbeddings(queriesFile, options)
    const docs = await openEmbeddings(docsFile, options)
    const start = performance.now()
    const progress = output.progress('searching', docs.rows)
    const matrix = {
      data: queries.read(0, queries.rows),
      rows: queries.rows,
      dimensions: queries.dimensions,
    }
    const found = await searchExact(matrix, docs, {
      top,
      metric,
      ...(workers === undefined ? {} : { workers }),
      onProgress: (done) => progress.update(done),
    }).finally(() => progress.end())
    const seconds = (performance.now() - start) / 1000
    await writeRun(out, rankings())
    await writeSidecar(out, 'search', { top, metric }, [queriesFile, docsFile])
    output.result(
      { out, queries: queries.rows, documents: docs.rows, perQuery: found.perQuery, seconds },
      `${out}: ${found.perQuery} of ${docs.rows} documents for each of ${queries.rows} queries in ${seconds.toFixed(1)} s`,
    )
    queries.close()
    docs.close()

    function* rankings(): Generator<RankedQuery> {
      for (let q = 0; q < queries.rows; q++) {
        const from = q * found.perQuery
        const ids: string[] = []
        for (let i = 0; i < found.perQuery; i++) ids.push(docs.idOf(found.rows[from + i]!))
        yield {
          query: queries.idOf(q),
          ids,
          scores: found.scores.subarray(from, from + found.perQuery),
        }
      }
    }
  },
}
