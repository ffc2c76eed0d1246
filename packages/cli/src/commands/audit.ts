import { auditAccept, auditEvaluate, auditRun } from '@kith/pipelines/audit'
import { pageBeside } from '@kith/pipelines/job'
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
    'Lists unjudged documents by the evidence that they are relevant: their similarity to the query\n' +
    'and to the documents judged relevant. Writes a table (.tsv or .jsonl), and beside it an HTML page\n' +
    'on which you judge the documents with the keyboard and export your decisions. --accept FILE merges\n' +
    'an export into the judgments. --evaluate hides all but one relevant document of each query and\n' +
    'measures how many of the hidden documents reach the top of the list.',
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
