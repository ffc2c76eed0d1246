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
  run: { value: 'FILE', file: 'input', help: 'candidates of the judged queries' },
  queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries' },
  docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents' },
  qrels: { value: 'FILE', file: 'input', help: 'the judgments there are', required: true },
  ...textOptions,
  out: {
    value: 'FILE',
    file: 'output',
    help: 'what to write: the list, or with --accept the new judgments',
  },
  page: {
    value: 'FILE',
    file: 'output',
    help: 'the page for a human judge',
    default: 'beside the list, .html',
  },
  ...levelOption,
  'per-query': {
    value: 'N',
    help: 'documents listed for a query',
    default: String(jobDefaults.perQuery),
  },
  limit: { value: 'N', help: 'documents listed in all', default: 'no limit' },
  accept: {
    value: 'FILE',
    file: 'input',
    help: 'merge judgments exported by the page into --qrels',
  },
  evaluate: { help: 'hide known judgments and see how many are found' },
  repeats: {
    value: 'N',
    help: 'how often --evaluate draws the one that stays',
    default: String(jobDefaults.repeats),
  },
  seed: {
    value: 'N',
    help: 'of the first of these draws',
    default: String(jobDefaults.auditSeed),
  },
  ...datasetOptions,
  target: {
    ...labelSettingOptions.target,
    help: 'what counts as evidence: joint, mixed, geometric, rnn, query-centric',
    default: auditPreset.target,
  },
  ...rare(settingOptions, 'set'),
  ...rare(joinOptions('queries or documents'), 'workers'),
} satisfies Options

/** The files and settings that the options name. */
export async function readAudit(values: Values<typeof auditOptions>): Promise<AuditFiles> {
  for (const name of ['run', 'queries', 'docs'] as const) {
    if (optionalText(values, name) === undefined) throw new UsageError(`--${name} FILE is missing`)
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
