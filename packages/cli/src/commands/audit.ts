import { auditPreset } from '@kith/core/internal'
import {
  type AuditAcceptResult,
  type AuditEvaluation,
  type AuditFiles,
  type AuditResult,
  auditAccept,
  auditEvaluate,
  auditRun,
} from '@kith/pipelines/audit'
import { jobDefaults, pageBeside } from '@kith/pipelines/job'
import { defineCommand, type Options, rare, type Values } from '../options/command.ts'
import { datasetOptions } from '../options/dataset-options.ts'
import { judgedFiles } from '../options/judged-options.ts'
import {
  labelSettingOptions,
  namesTexts,
  readAuditSettings,
  settingOptions,
} from '../options/setting-options.ts'
import {
  joinOptions,
  levelOption,
  readJoinOptions,
  readTexts,
  textOptions,
} from '../options/shared-options.ts'
import { isSet, optionalText, optionalWhole, text, UsageError } from '../options/values.ts'
import { type Output, table } from '../terminal/output.ts'

/** The options of `kith audit`. */
const auditOptions = {
  run: { value: 'FILE', file: 'input', help: 'run with the candidates of the judged queries' },
  queries: { value: 'FILE', file: 'input', help: 'query embeddings' },
  docs: { value: 'FILE', file: 'input', help: 'document embeddings' },
  qrels: { value: 'FILE', file: 'input', help: 'existing relevance judgments', required: true },
  ...textOptions,
  out: {
    value: 'FILE',
    file: 'output',
    help: 'output file for the list, or with --accept for the merged judgments',
  },
  page: {
    value: 'FILE',
    file: 'output',
    help: 'output page for judging by hand',
    default: '--out with the extension .html',
  },
  ...levelOption,
  'per-query': {
    value: 'N',
    help: 'number of documents to list per query',
    default: String(jobDefaults.perQuery),
  },
  limit: { value: 'N', help: 'total number of documents to list', default: 'no limit' },
  accept: {
    value: 'FILE',
    file: 'input',
    help: 'judgments exported by the page, to merge into --qrels',
  },
  evaluate: { help: 'hide known judgments and measure how many are found' },
  repeats: {
    value: 'N',
    help: 'number of random draws of --evaluate',
    default: String(jobDefaults.repeats),
  },
  seed: {
    value: 'N',
    help: 'random seed of --evaluate',
    default: String(jobDefaults.auditSeed),
  },
  ...datasetOptions,
  target: {
    ...labelSettingOptions.target,
    help: 'kind of evidence: joint, mixed, geometric, rnn, query-centric',
    default: auditPreset.target,
  },
  ...rare(settingOptions, 'set'),
  ...rare(joinOptions('queries or documents'), 'workers'),
} satisfies Options

/** Reads the files and settings that the options name. */
async function readAudit(values: Values<typeof auditOptions>): Promise<AuditFiles> {
  for (const name of ['run', 'queries', 'docs'] as const) {
    if (optionalText(values, name) === undefined) throw new UsageError(`--${name} FILE is required`)
  }
  return {
    run: text(values, 'run'),
    queries: text(values, 'queries'),
    docs: text(values, 'docs'),
    qrels: text(values, 'qrels'),
    ...readTexts(values, {}),
    ...readJoinOptions(values),
    level: optionalWhole(values, 'level'),
    settings: await readAuditSettings(values, { texts: namesTexts(values) }),
  }
}

/** `kith audit`: lists the relevance judgments that are probably missing. */
export const auditCommand = defineCommand({
  name: 'audit',
  description:
    'Lists unjudged documents by the evidence that they are relevant: their similarity to the query\n' +
    'and to the documents judged relevant. Writes a table (.tsv or .jsonl), and beside it an HTML page\n' +
    'on which you judge the documents with the keyboard and export your decisions. --accept FILE merges\n' +
    'an export into the judgments. --evaluate hides all but one relevant document of each query and\n' +
    'measures how many of the hidden documents reach the top of the list.',
  example:
    'kith audit --run run.trec --queries queries.npy --docs docs.npy --qrels qrels.trec --corpus corpus.jsonl --query-text queries.jsonl --out audit.tsv',
  dataset: {
    purpose: 'measure',
    // The user names the file of new judgments: they do not replace the list.
    files: ({ accept }) =>
      accept === undefined ? { ...judgedFiles, out: 'audit' } : { qrels: 'qrels' },
  },
  options: auditOptions,
  writes(values) {
    const out = optionalText(values, 'out')
    const lists = !isSet(values, 'evaluate') && optionalText(values, 'accept') === undefined
    return lists && out !== undefined && values.page === undefined ? [pageBeside(out)] : []
  },
  async read(values) {
    if (isSet(values, 'evaluate')) {
      const repeats = optionalWhole(values, 'repeats')
      const seed = optionalWhole(values, 'seed', { from: 0 })
      return { evaluate: { ...(await readAudit(values)), repeats, seed } }
    }
    const out = optionalText(values, 'out')
    if (out === undefined) throw new UsageError('--out FILE is required')
    const decisions = optionalText(values, 'accept')
    if (decisions !== undefined) return { accept: { qrels: text(values, 'qrels'), decisions, out } }
    const list = {
      ...(await readAudit(values)),
      out,
      page: optionalText(values, 'page'),
      perQuery: optionalWhole(values, 'per-query'),
      limit: optionalWhole(values, 'limit'),
    }
    return { list }
  },
  async run({ evaluate, accept, list }, output) {
    const hooks = output.hooks()
    if (evaluate) return tellAuditEvaluated(output, await auditEvaluate(evaluate, hooks))
    if (accept) return tellAccepted(output, await auditAccept(accept, hooks))
    if (list.corpus === undefined) {
      output.remark('the page shows ids only; add --corpus and --query-text to show texts')
    }
    tellAudited(output, await auditRun(list, hooks))
  },
})

/** Prints how many documents an audit has listed, and the page to judge them on. */
function tellAudited(output: Output, result: AuditResult): void {
  const { out, page, queries, documents, leftOut } = result
  output.result(
    result,
    [
      `${out}: ${documents} unjudged documents of ${queries} queries, strongest evidence first`,
      `${page}: open it in a browser to judge them`,
      ...Object.entries(leftOut).map(([why, count]) => `${count} queries left out: ${why}`),
    ].join('\n'),
  )
}

/** Prints how many of a judge's decisions were accepted and rejected. */
function tellAccepted(output: Output, result: AuditAcceptResult): void {
  const { out, accepted, rejected } = result
  output.result(result, `${out}: ${accepted} documents accepted, ${rejected} rejected`)
}

/** Prints how many hidden documents were found, by each kind of evidence. */
function tellAuditEvaluated(output: Output, result: AuditEvaluation): void {
  const { queries, repeats, texts, evidence } = result
  const measures = Object.keys(evidence[0]!.measures)
  const rows = evidence.map(({ target, measures: of }) => [
    target === 'query-centric' ? 'query similarity' : target,
    ...measures.map((name) => `${of[name]!.mean.toFixed(3)} ± ${of[name]!.deviation.toFixed(3)}`),
  ])
  output.result(
    result,
    [
      `Hidden relevant documents among the first unjudged documents: ${queries} queries, ${repeats} draws${texts ? ', with texts' : ''}`,
      '',
      table([['evidence', ...measures], ...rows]),
    ].join('\n'),
  )
}
