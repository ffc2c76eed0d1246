import { auditPreset } from '@kith/core/internal'
import type { AuditFiles } from '@kith/pipelines/audit'
import { jobDefaults } from '@kith/pipelines/job'
import { type Options, rare, type Values } from './command.ts'
import { datasetOptions } from './dataset-options.ts'
import {
  labelSettingOptions,
  namesTexts,
  readAuditSettings,
  settingOptions,
} from './setting-options.ts'
import {
  joinOptions,
  levelOption,
  readJoinOptions,
  readTexts,
  textOptions,
} from './shared-options.ts'
import { UsageError } from './usage-error.ts'
import { optionalText, optionalWhole, text } from './values.ts'

/** The options of `kith audit`. */
export const auditOptions = {
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

/** The files and settings that the options name. */
export async function readAudit(values: Values<typeof auditOptions>): Promise<AuditFiles> {
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
