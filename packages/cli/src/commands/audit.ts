import { acceptDecisions } from '../old/audit-accept.ts'
import { evaluateAudit } from '../old/audit-evaluate.ts'
import { auditSettingOptions } from '../old/audit-inputs.ts'
import { listMissing, pageBeside } from '../old/audit-list.ts'
import { defineCommand } from '../options/command.ts'
import { embeddingOptions, textOptions, workerOption } from '../options/shared-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { isSet, optionalText } from '../options/values.ts'

/** `kith audit`: which judgements are probably missing. */
export const auditCommand = defineCommand({
  name: 'audit',
  summary: 'find documents that are probably relevant but were never judged',
  description:
    'Lists unjudged documents by the evidence that they are relevant: how similar they are to the\n' +
    'query and to the documents judged relevant. Writes a table (.tsv or .jsonl) and, beside it, a\n' +
    'page on which a person judges them with the keyboard and exports what was decided.\n' +
    '--accept FILE merges such an export into new judgements. --evaluate hides all but one relevant\n' +
    'document of each query and reports how many of the hidden ones come out on top.',
  example:
    'kith audit --run run.trec --queries queries.npy --docs docs.npy --qrels qrels.trec --corpus corpus.jsonl --query-text queries.jsonl --out audit.tsv',
  options: {
    run: { value: 'FILE', file: 'input', help: 'candidates of the judged queries' },
    queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries' },
    docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents' },
    qrels: { value: 'FILE', file: 'input', help: 'the judgements there are', required: true },
    ...textOptions,
    out: {
      value: 'FILE',
      file: 'output',
      help: 'what to write: the list, or with --accept the new judgements',
    },
    page: {
      value: 'FILE',
      file: 'output',
      help: 'the page for a human judge',
      default: 'beside the list, .html',
    },
    level: { value: 'GRADE', help: 'from which grade on a document is relevant', default: '1' },
    'per-query': { value: 'N', help: 'documents listed for a query', default: '10' },
    limit: { value: 'N', help: 'documents listed in all', default: 'no limit' },
    accept: {
      value: 'FILE',
      file: 'input',
      help: 'merge judgements exported by the page into --qrels',
    },
    evaluate: { help: 'hide known judgements and see how many are found' },
    repeats: { value: 'N', help: 'how often --evaluate draws the one that stays', default: '5' },
    seed: { value: 'N', help: 'of the first of these draws', default: '1' },
    missing: {
      value: 'WHAT',
      help: 'queries or documents without an embedding or text: error, or skip',
      default: 'error',
    },
    ...auditSettingOptions,
    ...embeddingOptions,
    ...workerOption,
  },
  writes(values) {
    const out = optionalText(values, 'out')
    const lists = !isSet(values, 'evaluate') && optionalText(values, 'accept') === undefined
    return lists && out !== undefined && values['page'] === undefined ? [pageBeside(out)] : []
  },
  async run(values, output) {
    if (isSet(values, 'evaluate')) return evaluateAudit(values, output)
    if (optionalText(values, 'out') === undefined) throw new UsageError('--out FILE is missing')
    if (optionalText(values, 'accept') !== undefined) return acceptDecisions(values, output)
    return listMissing(values, output)
  },
})
