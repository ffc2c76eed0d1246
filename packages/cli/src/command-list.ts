import { createRequire } from 'node:module'
import type { Command, DeclaredCommand } from './options/command.ts'

interface ListedCommand {
  /** One line for the list of commands. */
  summary: string
  load(): Promise<DeclaredCommand>
}

/**
 * Every command by name, in the order of the overview. Summaries are listed here, so that the
 * overview loads no command module. A command is loaded only when it runs, because most commands
 * need few of the packages and a shell starts many commands. For the same reason, commands import
 * pipelines by module: the index of @kith/pipelines loads all of them.
 */
const listed: Readonly<Record<string, ListedCommand>> = {
  try: {
    summary: 'find out whether Kith helps on your dataset',
    load: async () => (await import('./commands/try.ts')).tryCommand,
  },
  encode: {
    summary: 'encode the texts of a corpus or of queries as embeddings',
    load: async () => (await import('./commands/encode.ts')).encodeCommand,
  },
  search: {
    summary: 'find the most similar documents for each query',
    load: async () => (await import('./commands/search.ts')).searchCommand,
  },
  rerank: {
    summary: 'rerank each query’s candidates by reciprocal neighbors and BM25 scores',
    load: async () => (await import('./commands/rerank.ts')).rerankCommand,
  },
  eval: {
    summary: 'measure runs against relevance judgments, as trec_eval does',
    load: async () => (await import('./commands/eval.ts')).evalCommand,
  },
  fuse: {
    summary: 'merge runs by reciprocal rank fusion or by weighted scores',
    load: async () => (await import('./commands/fuse.ts')).fuseCommand,
  },
  tune: {
    summary: 'tune the settings on judged queries and test whether reranking helps',
    load: async () => (await import('./commands/tune.ts')).tuneCommand,
  },
  'tune-training': {
    summary:
      'tune the training settings: one training per trial, with early stopping of bad trials',
    load: async () => (await import('./commands/tune-training.ts')).tuneTrainingCommand,
  },
  sweep: {
    summary: 'plot a measure against context size and each setting, with latency and label spread',
    load: async () => (await import('./commands/sweep.ts')).sweepCommand,
  },
  report: {
    summary: 'compare runs on an HTML page: measures, significance, every query before and after',
    load: async () => (await import('./commands/report.ts')).reportCommand,
  },
  labels: {
    summary: 'make soft labels for training from sparse judgments',
    load: async () => (await import('./commands/labels.ts')).labelsCommand,
  },
  'labels merge': {
    summary: 'merge the output files of kith labels --shard',
    load: async () => (await import('./commands/labels.ts')).mergeCommand,
  },
  audit: {
    summary: 'find documents that are probably relevant but not judged',
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
  train: {
    summary: 'fine-tune a query encoder, or train a query adapter',
    load: async () => (await import('./commands/train.ts')).trainCommand,
  },
  'train compare': {
    summary: 'plot the curves of several trainings in one chart',
    load: async () => (await import('./commands/train.ts')).trainCompareCommand,
  },
  adapt: {
    summary: 'apply a trained query adapter to query embeddings',
    load: async () => (await import('./commands/adapt.ts')).adaptCommand,
  },
  load: {
    summary: 'load documents into PostgreSQL or LanceDB',
    load: async () => (await import('./commands/load.ts')).loadCommand,
  },
  work: {
    summary: 'run the jobs of kith rerank --submit and kith labels --submit',
    load: async () => (await import('./commands/work.ts')).workCommand,
  },
  jobs: {
    summary: 'show the progress of batches in PostgreSQL',
    load: async () => (await import('./commands/jobs.ts')).jobsCommand,
  },
  'jobs export': {
    summary: 'write the results of a finished batch to a file',
    load: async () => (await import('./commands/jobs.ts')).jobsExportCommand,
  },
  'jobs retry': {
    summary: 'retry the failed jobs of a batch',
    load: async () => (await import('./commands/jobs.ts')).jobsRetryCommand,
  },
  'jobs remove': {
    summary: 'remove a batch with its jobs and results',
    load: async () => (await import('./commands/jobs.ts')).jobsRemoveCommand,
  },
  serve: {
    summary:
      'serve reranking, embeddings and search over HTTP (Cohere, Jina, TEI and OpenAI protocols)',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  mcp: {
    summary: 'start an MCP server that lets agents search your documents',
    load: async () => (await import('./commands/mcp.ts')).mcpCommand,
  },
  studio: {
    summary: 'explore rankings, settings, labels and missing judgments in the browser',
    load: async () => (await import('./commands/studio.ts')).studioCommand,
  },
  'dataset wordnet': {
    summary: 'build a retrieval dataset with nearly complete judgments from WordNet',
    load: async () => (await import('./commands/dataset-wordnet.ts')).wordnetCommand,
  },
  'term-statistics': {
    summary: 'count the terms of a corpus once, for later reranking with its texts',
    load: async () => (await import('./commands/term-statistics.ts')).termStatisticsCommand,
  },
  background: {
    summary: 'sample the documents, for estimates of how relevant hits are',
    load: async () => (await import('./commands/background.ts')).backgroundCommand,
  },
  calibrate: {
    summary: 'fit the estimated relevance of hits to judged queries',
    load: async () => (await import('./commands/calibrate.ts')).calibrateCommand,
  },
  convert: {
    summary: 'convert runs, judgments, texts or embeddings to another format',
    load: async () => (await import('./commands/convert.ts')).convertCommand,
  },
  completion: {
    summary: 'print a Tab completion script for bash, zsh or fish',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
}

/** Reads the version of this package, which most commands do not need. */
export function version(): string {
  return createRequire(import.meta.url)('../package.json').version
}

/** The names of all commands. */
export const commandNames: readonly string[] = Object.keys(listed)

/** Loads the command with a name; returns undefined if there is no such command. */
export async function loadCommand(name: string): Promise<Command | undefined> {
  if (!Object.hasOwn(listed, name)) return undefined
  const { summary, load } = listed[name]!
  return { ...(await load()), summary }
}

/** Loads every command, for the documentation. */
export function allCommands(): Promise<Command[]> {
  return Promise.all(commandNames.map(async (name) => (await loadCommand(name))!))
}

/** Formats the list of commands that `kith --help` prints. */
export function overview(): string {
  const width = Math.max(...commandNames.map((name) => name.length))
  return [
    'kith: rerank search results by reciprocal nearest neighbors',
    '',
    'Commands:',
    ...commandNames.map((name) => `  ${name.padEnd(width)}  ${listed[name]!.summary}`),
    '',
    'kith COMMAND --help shows the options of a command and an example.',
    '',
    'A dataset is a folder with corpus.jsonl, queries.jsonl and qrels/test.tsv:',
    '  kith try DATASET      find out whether Kith helps',
    '  kith encode DATASET   run one step; results are kept in DATASET/.kith',
    '  kith search DATASET',
    '  kith rerank DATASET',
    '  kith eval DATASET',
    '',
  ].join('\n')
}
