import { auditPreset } from '@kith/core/internal'
import type { AuditFiles } from '@kith/pipelines/audit'
import type { Options, Values } from './command.ts'
import {
  labelSettingOptions,
  namesTexts,
  readAuditSettings,
  settingOptions,
} from './setting-options.ts'
import {
  embeddingOptions,
  type levelOption,
  missingOption,
  readEmbeddingOptions,
  readMissing,
  readTexts,
  textOptions,
  workerOption,
} from './shared-options.ts'
import { UsageError } from './usage-error.ts'
import { optionalText, optionalWhole, text } from './values.ts'

/** The files of an audit, as options. */
export const auditFileOptions = {
  run: { value: 'FILE', file: 'input', help: 'candidates of the judged queries' },
  queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries' },
  docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents' },
  qrels: { value: 'FILE', file: 'input', help: 'the judgments there are', required: true },
  ...textOptions,
} satisfies Options

/** The settings of an audit, as options. */
export const auditSettingOptions = {
  ...missingOption('queries or documents'),
  target: {
    ...labelSettingOptions.target,
    help: 'what counts as evidence: joint, mixed, geometric, rnn, query-centric',
    default: auditPreset.target,
  },
  ...settingOptions,
  ...embeddingOptions,
  ...workerOption,
} satisfies Options

/** The files and settings that the options name. */
export async function readAudit(
  values: Values<typeof auditFileOptions & typeof auditSettingOptions & typeof levelOption>,
): Promise<AuditFiles> {
  for (const name of ['run', 'queries', 'docs'] as const) {
    if (optionalText(values, name) === undefined) throw new UsageError(`--${name} FILE is missing`)
  }
  return {
    run: text(values, 'run'),
    queries: text(values, 'queries'),
    docs: text(values, 'docs'),
    qrels: text(values, 'qrels'),
    ...readTexts(values, {}),
    ...readEmbeddingOptions(values),
    level: optionalWhole(values, 'level'),
    settings: await readAuditSettings(values, { texts: namesTexts(values) }),
    missing: readMissing(values),
    workers: optionalWhole(values, 'workers'),
  }
}
