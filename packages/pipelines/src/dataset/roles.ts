/** The role of a file in a dataset. */
interface Role {
  /** The contents of the file, for messages. */
  what: string
  /**
   * The file names to look for in the dataset's folder, best first. SPLIT stands for the name of
   * the split, SUFFIX for `.SPLIT` if the queries of the split have a separate file.
   */
  found: readonly string[]
  /** The name of the file in `.kith`; MODEL stands for the name of the model. */
  kept?: string
  /** The command that makes the file, and its inputs. */
  madeBy?: string
  from?: readonly RoleName[]
}

/** The files of a dataset. */
export type RoleName =
  | 'corpus'
  | 'queries'
  | 'qrels'
  | 'documentEmbeddings'
  | 'queryEmbeddings'
  | 'run'
  | 'reranked'
  | 'bm25'
  | 'rrf'
  | 'fusion'
  | 'kith'
  | 'tunedKith'
  | 'adaptedKith'
  | 'tryReport'
  | 'termStatistics'
  | 'tuned'
  | 'calibration'
  | 'sweep'
  | 'labels'
  | 'audit'
  | 'trained'
  | 'report'

const embeddings: readonly RoleName[] = ['queryEmbeddings', 'documentEmbeddings']
const reranking: readonly RoleName[] = ['run', ...embeddings, 'corpus', 'queries']
const packed = (...names: string[]): string[] => [...names, ...names.map((name) => `${name}.gz`)]

/**
 * The names of each file of a dataset, and the commands that make the files in `.kith`: BEIR's
 * layout (`corpus.jsonl`, `qrels/test.tsv`), and the names of MS MARCO (`collection.tsv`,
 * `queries.dev.tsv`, `qrels.dev.tsv`) and TREC (`topics.txt`, `qrels.txt`).
 */
export const roles: Readonly<Record<RoleName, Role>> = {
  corpus: {
    what: 'texts of the documents',
    found: packed(
      'corpus.jsonl',
      'collection.jsonl',
      'corpus.tsv',
      'collection.tsv',
      'corpus.trec',
    ),
  },
  queries: {
    what: 'texts of the queries',
    found: packed(
      ...['queries.SPLIT.jsonl', 'queries.SPLIT.tsv', 'topics.SPLIT.txt'],
      ...['queries.jsonl', 'queries.tsv', 'topics.tsv', 'topics.txt'],
    ),
  },
  qrels: {
    what: 'relevance judgments',
    found: packed(
      ...['qrels/SPLIT.tsv', 'qrels/SPLIT.trec', 'qrels/SPLIT.txt'],
      ...['qrels.SPLIT.tsv', 'qrels.SPLIT.trec', 'qrels.SPLIT.txt'],
      ...['qrels.tsv', 'qrels.trec', 'qrels.txt'],
    ),
  },
  documentEmbeddings: {
    what: 'embeddings of the documents',
    found: ['docs.npy', 'docs.safetensors', 'docs.parquet'],
    ...{ kept: 'MODEL/docs.npy', madeBy: 'encode', from: ['corpus'] },
  },
  queryEmbeddings: {
    what: 'embeddings of the queries',
    found: ['queriesSUFFIX.npy', 'queriesSUFFIX.safetensors', 'queriesSUFFIX.parquet'],
    ...{ kept: 'MODEL/queriesSUFFIX.npy', madeBy: 'encode', from: ['queries'] },
  },
  run: {
    what: 'a run of vector search',
    found: ['runSUFFIX.trec'],
    ...{ kept: 'MODEL/runSUFFIX.trec', madeBy: 'search', from: embeddings },
  },
  reranked: {
    what: 'a reranked run',
    found: [],
    ...{ kept: 'MODEL/rerankedSUFFIX.trec', madeBy: 'rerank', from: reranking },
  },
  bm25: {
    what: 'a run of BM25 search',
    found: [],
    ...{ kept: 'bm25SUFFIX.trec', madeBy: 'search', from: ['corpus', 'queries'] },
  },
  rrf: {
    what: 'reciprocal rank fusion of vector search and BM25',
    found: [],
    ...{ kept: 'MODEL/try/rrfSUFFIX.trec', madeBy: 'try', from: ['run', 'bm25'] },
  },
  fusion: {
    what: 'dense + BM25 score fusion',
    found: [],
    ...{ kept: 'MODEL/try/fusionSUFFIX.trec', madeBy: 'try', from: reranking },
  },
  kith: {
    what: 'the run reranked with the default settings',
    found: [],
    ...{ kept: 'MODEL/try/kithSUFFIX.trec', madeBy: 'try', from: reranking },
  },
  tunedKith: {
    what: 'the run reranked with tuned settings (cross-validated)',
    found: [],
    ...{ kept: 'MODEL/try/tunedSUFFIX.trec', madeBy: 'try', from: [...reranking, 'qrels'] },
  },
  adaptedKith: {
    what: 'a search with adapted queries, reranked with the default settings',
    found: [],
    ...{ kept: 'MODEL/try/adapted-kithSUFFIX.trec', madeBy: 'try', from: ['corpus', 'queries'] },
  },
  tryReport: {
    what: 'the report page of kith try',
    found: [],
    ...{ kept: 'MODEL/try/report.html', madeBy: 'try' },
  },
  termStatistics: {
    what: 'term statistics',
    found: [],
    ...{ kept: 'terms.bin', madeBy: 'terms', from: ['corpus'] },
  },
  tuned: {
    what: 'tuned settings',
    found: [],
    ...{ kept: 'MODEL/tuned.json', madeBy: 'tune', from: [...reranking, 'qrels'] },
  },
  calibration: {
    what: 'a calibration of estimated relevance',
    found: [],
    ...{ kept: 'MODEL/calibration.json', madeBy: 'calibrate', from: [...reranking, 'qrels'] },
  },
  sweep: { what: 'figures of a sweep', found: [], kept: 'MODEL/sweep', madeBy: 'sweep' },
  labels: { what: 'soft labels', found: [], kept: 'MODEL/labels.jsonl', madeBy: 'labels' },
  audit: { what: 'missing judgments', found: [], kept: 'MODEL/audit.tsv', madeBy: 'audit' },
  trained: { what: 'a trained model', found: [], kept: 'MODEL/trained', madeBy: 'train' },
  report: { what: 'a report page', found: [], kept: 'MODEL/report.html', madeBy: 'report' },
}
