import { auditAccept, auditEvaluate, auditRun } from '@kith/pipelines/audit'
import { auditPageOf } from '@kith/pipelines/job'
import { auditOptions, readAudit } from '../options/audit-options.ts'
import { defineCommand } from '../options/command.ts'
import { judgedFiles } from '../options/judged-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { isSet, optionalText, optionalWhole, text } from '../options/values.ts'
import { tellAccepted, tellAuditEvaluated, tellAudited } from '../terminal/tell-audited.ts'

/** `kith audit`: which judgments are probably missing. */
export const auditCommand = defineCommand({
  name: 'audit',
  description:
    'Lists unjudged documents by the evidence that they are relevant: how similar they are to the\n' +
    'query and to the documents judged relevant. Writes a table (.tsv or .jsonl) and, beside it, a\n' +
    'page on which a person judges them with the keyboard and exports what was decided.\n' +
    '--accept FILE merges such an export into new judgments. --evaluate hides all but one relevant\n' +
    'document of each query and reports how many of the hidden ones come out on top.',
  example:
    'kith audit --run run.trec --queries queries.npy --docs docs.npy --qrels qrels.trec --corpus corpus.jsonl --query-text queries.jsonl --out audit.tsv',
  dataset: {
    purpose: 'measure',
    // New judgments are for the user to name: they do not replace the list.
    files: ({ accept }) =>
      accept === undefined ? { ...judgedFiles, out: 'audit' } : { qrels: 'qrels' },
  },
  options: auditOptions,
  writes(values) {
    const out = optionalText(values, 'out')
    const lists = !isSet(values, 'evaluate') && optionalText(values, 'accept') === undefined
    return lists && out !== undefined && values.page === undefined ? [auditPageOf(out)] : []
  },
  async run(values, output) {
    const hooks = output.hooks()
    if (isSet(values, 'evaluate')) {
      const repeats = optionalWhole(values, 'repeats')
      const seed = optionalWhole(values, 'seed', { from: 0 })
      const found = await auditEvaluate({ ...(await readAudit(values)), repeats, seed }, hooks)
      return tellAuditEvaluated(output, found)
    }
    const out = optionalText(values, 'out')
    if (out === undefined) throw new UsageError('--out FILE is missing')
    const decisions = optionalText(values, 'accept')
    if (decisions !== undefined) {
      const qrels = text(values, 'qrels')
      return tellAccepted(output, await auditAccept({ qrels, decisions, out }, hooks))
    }
    const inputs = {
      ...(await readAudit(values)),
      out,
      page: optionalText(values, 'page'),
      perQuery: optionalWhole(values, 'per-query'),
      limit: optionalWhole(values, 'limit'),
    }
    if (inputs.corpus === undefined) {
      output.remark('the page shows ids only: --corpus and --query-text put the texts on it')
    }
    tellAudited(output, await auditRun(inputs, hooks))
  },
})
