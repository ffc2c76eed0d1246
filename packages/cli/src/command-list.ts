import { createRequire } from 'node:module'
import type { Command, DeclaredCommand } from './options/command.ts'

interface ListedCommand {
  /** One line for the list of commands. */
  summary: string
  load(): Promise<DeclaredCommand>
}

/**
 * Every command by its name, in the order of the overview. Its summary stands here, so that the
 * overview loads no command; a command is loaded when it is run: most commands need few of the
 * packages, and a shell runs many commands. For the same reason commands import pipelines by
 * their modules: the index of @kith/pipelines loads all of them.
 */
const listed: Readonly<Record<string, ListedCommand>> = {
  try: {
    summary: 'find out whether Kith helps on a dataset, in one command',
    load: async () => (await import('./commands/try.ts')).tryCommand,
  },
  encode: {
    summary: 'turn the texts of a corpus or of queries into embeddings',
    load: async () => (await import('./commands/encode.ts')).encodeCommand,
  },
  search: {
    summary: 'find the most similar documents of each query',
    load: async () => (await import('./commands/search.ts')).searchCommand,
  },
  rerank: {
    summary: 'reorder each query’s candidates by their reciprocal neighbors',
    load: async () => (await import('./commands/rerank.ts')).rerankCommand,
  },
  eval: {
    summary: 'measure runs against judgments, as trec_eval does',
    load: async () => (await import('./commands/eval.ts')).evalCommand,
  },
  fuse: {
    summary: 'make one run of several: reciprocal ranks or weighted sums of scores',
    load: async () => (await import('./commands/fuse.ts')).fuseCommand,
  },
  tune: {
    summary: 'find settings on judged queries, and say whether reranking helps at all',
    load: async () => (await import('./commands/tune.ts')).tuneCommand,
  },
  'tune-training': {
    summary: 'search the settings of training: each trial a training, bad ones ended early',
    load: async () => (await import('./commands/tune-training.ts')).tuneTrainingCommand,
  },
  sweep: {
    summary: 'draw a measure against context size and every setting, time per query, and spreads',
    load: async () => (await import('./commands/sweep.ts')).sweepCommand,
  },
  report: {
    summary: 'compare runs on one HTML page: figures, significance, every query before and after',
    load: async () => (await import('./commands/report.ts')).reportCommand,
  },
  labels: {
    summary: 'make soft training labels from sparse judgments',
    load: async () => (await import('./commands/labels.ts')).labelsCommand,
  },
  'labels merge': {
    summary: 'join the shares of kith labels --shard',
    load: async () => (await import('./commands/labels.ts')).mergeCommand,
  },
  audit: {
    summary: 'find documents that are probably relevant but were never judged',
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
  train: {
    summary: 'fine-tune a query encoder, or an adapter of query embeddings',
    load: async () => (await import('./commands/train.ts')).trainCommand,
  },
  'train compare': {
    summary: 'draw the curves of several trainings over one another',
    load: async () => (await import('./commands/train-compare.ts')).trainCompareCommand,
  },
  adapt: {
    summary: 'change query embeddings by a trained adapter',
    load: async () => (await import('./commands/adapt.ts')).adaptCommand,
  },
  load: {
    summary: 'put documents into PostgreSQL or LanceDB',
    load: async () => (await import('./commands/load.ts')).loadCommand,
  },
  work: {
    summary: 'do jobs that kith rerank or kith labels --submit put into PostgreSQL',
    load: async () => (await import('./commands/work.ts')).workCommand,
  },
  jobs: {
    summary: 'show how far the batches in PostgreSQL are',
    load: async () => (await import('./commands/jobs.ts')).jobsCommand,
  },
  'jobs export': {
    summary: 'write the results of a finished batch as a file',
    load: async () => (await import('./commands/jobs.ts')).jobsExportCommand,
  },
  'jobs retry': {
    summary: 'give the jobs of a batch that were set aside another try',
    load: async () => (await import('./commands/jobs.ts')).jobsRetryCommand,
  },
  'jobs remove': {
    summary: 'remove a batch with its jobs and results',
    load: async () => (await import('./commands/jobs.ts')).jobsRemoveCommand,
  },
  serve: {
    summary: 'rerank, embed and search over HTTP, in the protocols that clients know',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  mcp: {
    summary: 'offer search over a collection to agents, as an MCP server',
    load: async () => (await import('./commands/mcp.ts')).mcpCommand,
  },
  studio: {
    summary:
      'open a page that shows the neighborhood, the settings, the labels and missing judgments',
    load: async () => (await import('./commands/studio.ts')).studioCommand,
  },
  'dataset wordnet': {
    summary: 'build a retrieval dataset with nearly complete labels, from WordNet',
    load: async () => (await import('./commands/dataset-wordnet.ts')).wordnetCommand,
  },
  'term-statistics': {
    summary: 'count how often terms occur in a collection, for reranking with its texts',
    load: async () => (await import('./commands/term-statistics.ts')).termStatisticsCommand,
  },
  convert: {
    summary: 'turn runs, judgments, texts or embeddings into another format',
    load: async () => (await import('./commands/convert.ts')).convertCommand,
  },
  completion: {
    summary: 'print what makes Tab complete commands and options, for bash, zsh or fish',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
}

/** The version of this package. */
export const version: string = createRequire(import.meta.url)('../package.json').version

/** The names of all commands. */
export const commandNames: readonly string[] = Object.keys(listed)

/** The command of a name. */
export async function loadCommand(name: string): Promise<Command | undefined> {
  if (!Object.hasOwn(listed, name)) return undefined
  const { summary, load } = listed[name]!
  return { ...(await load()), summary }
}

/** Every command, for the documentation. */
export function allCommands(): Promise<Command[]> {
  return Promise.all(commandNames.map(async (name) => (await loadCommand(name))!))
}

/** The list of commands, as `kith --help` prints it. */
export function overview(): string {
  const width = Math.max(...commandNames.map((name) => name.length))
  return [
    'kith: better rankings from reciprocal nearest neighbors',
    '',
    'Commands:',
    ...commandNames.map((name) => `  ${name.padEnd(width)}  ${listed[name]!.summary}`),
    '',
    'kith COMMAND --help says what a command takes, with an example.',
    '',
    'A dataset is a folder with corpus.jsonl, queries.jsonl and qrels/test.tsv:',
    '  kith try DATASET      does Kith help on it?',
    '  kith encode DATASET   each step alone; DATASET/.kith keeps what it makes',
    '  kith search DATASET',
    '  kith rerank DATASET',
    '  kith eval DATASET',
    '',
  ].join('\n')
}
